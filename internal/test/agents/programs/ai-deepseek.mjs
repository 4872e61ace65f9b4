// @ai-sdk/deepseek
import { generateText, streamText } from 'ai'
import { deepseek } from '@ai-sdk/deepseek'
await generateText({ model: deepseek('deepseek-chat'), prompt: 'hi' })
await streamText({ model: deepseek('deepseek-chat'), prompt: 'hi' }).text
