// @ai-sdk/xai
import { generateText, streamText } from 'ai'
import { xai } from '@ai-sdk/xai'
await generateText({ model: xai('grok-4'), prompt: 'hi' })
await streamText({ model: xai('grok-4'), prompt: 'hi' }).text
