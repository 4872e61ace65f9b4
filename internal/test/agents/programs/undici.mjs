// undici
import { Agent, fetch, request, stream } from 'undici'
import { Writable } from 'node:stream'
const url = 'https://api.x.ai/v1/chat/completions'
const call = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"model":"grok-4","messages":[]}' }
await (await fetch(url, call)).text()
await (await request(url, call)).body.text()
await (await request(url, { ...call, dispatcher: new Agent({ allowH2: true }) })).body.text()
await stream(url, call, () => new Writable({ write: (_, __, next) => next() }))
process.exit()
