import http.client, sys, urllib.parse

url = urllib.parse.urlsplit(sys.argv[1])
connection = http.client.HTTPConnection(url.netloc)  # which reads no variable of proxies
connection.request("POST", url.path, '{"model":"grok-4","messages":[]}')
connection.getresponse().read()
