// mesh meter runs this before each program of Node: fetch sends the calls of model providers to the meter, which counts them.
const { meter, hosts, always } = CONFIG;
if (always || !process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) {
	const known = url => url.protocol === 'https:' && hosts.some(h => url.host === h || url.hostname === h || url.hostname.endsWith('.' + h));
	const { fetch } = globalThis;
	globalThis.fetch = function (input, init) {
		const given = typeof input === 'object' && !(input instanceof URL); // a Request
		const text = given ? input.url : String(input);
		if (URL.canParse?.(text) && !/Proxy/.test(init?.dispatcher?.constructor.name) && known(new URL(text))) {
			const url = new URL(text);
			const to = meter + url.host + url.pathname + url.search;
			input = given ? new Request(to, input) : to;
		}
		return fetch.call(this, input, init);
	};
}
