import type { ClientRequest, IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';

type RelayOptions = {
  toHeaders: (headers: IncomingHttpHeaders) => OutgoingHttpHeaders;
  onNoResponse: () => void;
};

/** Streams the app's response to the visitor. If it breaks off, the connection of the visitor is closed too. */
export function relayResponse(
  appRequest: ClientRequest,
  response: ServerResponse,
  { toHeaders, onNoResponse }: RelayOptions,
): void {
  appRequest.on('response', (appResponse) => {
    response.writeHead(appResponse.statusCode ?? 502, appResponse.statusMessage, toHeaders(appResponse.headers));
    appResponse.pipe(response);
    appResponse.on('error', () => response.destroy());
  });
  appRequest.on('error', () => {
    if (response.headersSent) response.destroy();
    else onNoResponse();
  });
}
