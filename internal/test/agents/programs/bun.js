await (await fetch('https://api.x.ai/v1/chat/completions', { method: 'POST', body: '{"model":"grok-4","messages":[]}' })).text()
