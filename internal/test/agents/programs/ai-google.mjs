// @ai-sdk/google
import { generateText, streamText } from 'ai'
import { google } from '@ai-sdk/google'
await generateText({ model: google('gemini-2.5-flash'), prompt: 'hi' })
await streamText({ model: google('gemini-2.5-flash'), prompt: 'hi' }).text
