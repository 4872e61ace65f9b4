// @ai-sdk/anthropic
import { generateText, streamText } from 'ai'
import { anthropic } from '@ai-sdk/anthropic'
await generateText({ model: anthropic('claude-sonnet-4-5'), prompt: 'hi' })
await streamText({ model: anthropic('claude-sonnet-4-5'), prompt: 'hi' }).text
