// @langchain/google-genai
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
await new ChatGoogleGenerativeAI({ model: 'gemini-2.5-flash' }).invoke('hi')
