// openai
import OpenAI from 'openai'
const c = new OpenAI()
await c.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] })
await c.responses.create({ model: 'gpt-4o', input: 'hi' })
for await (const _ of await c.chat.completions.create({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hi' }] }));
