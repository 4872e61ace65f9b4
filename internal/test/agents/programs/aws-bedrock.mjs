// @aws-sdk/client-bedrock-runtime
import { BedrockRuntimeClient, ConverseCommand, InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
const configuration = { region: 'us-east-1', credentials: { accessKeyId: 'example', secretAccessKey: 'example' } }
const modelId = 'anthropic.claude-haiku-4-5-20251001-v1:0'
for (const c of [new BedrockRuntimeClient(configuration), new BedrockRuntimeClient({ ...configuration, requestHandler: new NodeHttpHandler() })]) {
  await c.send(new ConverseCommand({ modelId, messages: [{ role: 'user', content: [{ text: 'hi' }] }] }))
  await c.send(new InvokeModelCommand({ modelId, body: '{"anthropic_version":"bedrock-2023-05-31","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}' }))
}
process.exit()
