// @langchain/aws
import { ChatBedrockConverse } from '@langchain/aws'
const credentials = { accessKeyId: 'example', secretAccessKey: 'example' }
await new ChatBedrockConverse({ model: 'anthropic.claude-haiku-4-5-20251001-v1:0', region: 'us-east-1', credentials }).invoke('hi')
process.exit()
