// node:https
import https from 'node:https'
const req = https.request('https://api.x.ai/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' } }, res => res.resume())
req.end('{"model":"grok-4","messages":[]}')
