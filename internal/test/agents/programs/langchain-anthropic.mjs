// @langchain/anthropic
import { ChatAnthropic } from '@langchain/anthropic'
await new ChatAnthropic({ model: 'claude-sonnet-4-5' }).invoke('hi')
