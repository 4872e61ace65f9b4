import java.net.URI;
import java.net.http.*;

class Direct {
	public static void main(String[] args) throws Exception {
		var request = HttpRequest.newBuilder(URI.create(args[0])).version(HttpClient.Version.HTTP_1_1)
			.POST(HttpRequest.BodyPublishers.ofString("{\"model\":\"grok-4\",\"messages\":[]}")).build();
		HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
	}
}
