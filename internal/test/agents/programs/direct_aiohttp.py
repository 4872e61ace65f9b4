import asyncio, sys, aiohttp

async def main():
    async with aiohttp.ClientSession() as session:  # without trust_env
        async with session.post(sys.argv[1], json={"model": "grok-4", "messages": []}) as response:
            await response.read()

asyncio.run(main())
