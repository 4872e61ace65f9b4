// @google/genai
import { GoogleGenAI } from '@google/genai'
const c = new GoogleGenAI({ apiKey: 'example' })
await c.models.generateContent({ model: 'gemini-2.5-flash', contents: 'hi' })
for await (const _ of await c.models.generateContentStream({ model: 'gemini-2.5-flash', contents: 'hi' }));
