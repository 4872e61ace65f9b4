// @ai-sdk/openai
import { generateText, streamText } from 'ai'
import { openai } from '@ai-sdk/openai'
await generateText({ model: openai('gpt-4o'), prompt: 'hi' })
await streamText({ model: openai('gpt-4o'), prompt: 'hi' }).text
