// @anthropic-ai/sdk
import Anthropic from '@anthropic-ai/sdk'
const c = new Anthropic()
const request = { model: 'claude-sonnet-4-5', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }
await c.messages.create(request)
await c.messages.stream(request).finalMessage()
