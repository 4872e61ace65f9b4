// @langchain/openai
import { ChatOpenAI } from '@langchain/openai'
await new ChatOpenAI({ model: 'gpt-4o' }).invoke('hi')
