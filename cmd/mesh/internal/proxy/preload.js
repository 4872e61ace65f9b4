// mesh meter runs this before each program of Node. All clients of Node open their connections with tls.connect: fetch, node:https, node:http2,
// and packages such as undici, axios and the SDKs of AWS. Connections to hosts whose calls are counted lead to the meter, without TLS.
const net = require('node:net');
const tls = require('node:tls');
const { port, authorization, hosts, decrypts } = CONFIG;
const table = new Set(hosts);
const { connect } = tls;

// known is the method has of hostTable.
function known(host, address) {
	return table.has(address) || table.has(host) || table.has('*' + host.slice(host.indexOf('.')));
}

tls.connect = function (...args) {
	const options = Object.assign({}, ...args.filter(a => a && typeof a === 'object'));
	if (typeof args[0] !== 'object') {
		options.port = args[0];
		if (typeof args[1] === 'string') options.host = args[1];
	}
	const host = String(options.servername || options.host || '').toLowerCase().replace(/\.$/, '');
	const address = (host.includes(':') ? '[' + host + ']' : host) + ':' + (options.port || 443);
	if (!known(host, address)) return connect.apply(this, args);
	const open = kind => {
		const socket = net.connect(port, '127.0.0.1');
		socket.write(`CONNECT ${address} HTTP/1.1\r\nHost: ${address}\r\nProxy-Authorization: ${authorization}\r\nMesh-Meter: ${kind}\r\n\r\n`);
		return socket;
	};
	if (options.socket) { // a tunnel of a proxy
		const ours = options.socket.remotePort === port;
		if (!ours) open('unseen').on('error', () => {}).resume().end().unref();
		if (!ours || decrypts) return connect.apply(this, args);
		options.socket.destroy();
	}
	const socket = open('plain');
	const protocols = options.ALPNProtocols;
	const alpnProtocol = Array.isArray(protocols) && protocols.length === 1 ? String(protocols[0]) : 'http/1.1';
	Object.assign(socket, {
		encrypted: true, authorized: true, servername: host, alpnProtocol, getPeerCertificate: () => ({}), getCipher: () => ({}),
		getProtocol: () => null, getSession() {}, isSessionReused: () => false,
	});
	socket.once('connect', () => socket.emit('secureConnect'));
	if (typeof args.at(-1) === 'function') socket.once('secureConnect', args.at(-1));
	return socket;
};
require('node:module').syncBuiltinESMExports();
