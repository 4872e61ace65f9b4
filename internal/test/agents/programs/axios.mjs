// axios
import axios from 'axios'
import https from 'node:https'
const url = 'https://api.x.ai/v1/chat/completions'
const call = { model: 'grok-4', messages: [] }
await axios.post(url, call)
await axios.post(url, call, { proxy: false })
await axios.post(url, call, { httpsAgent: new https.Agent({ keepAlive: true }) })
await axios.post(url, call, { adapter: 'fetch' })
process.exit()
