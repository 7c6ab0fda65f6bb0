import type { ClientRequest, IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';

type RelayOptions = {
  toHeaders: (headers: IncomingHttpHeaders) => OutgoingHttpHeaders;
  onNoResponse: () => void;
};

/** Streams the app's response to the visitor. If it breaks off, the connection of the visitor is closed too. */
export function relayResponse(
  sent: ClientRequest,
  response: ServerResponse,
  { toHeaders, onNoResponse }: RelayOptions,
): void {
  sent.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, toHeaders(answer.headers));
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  sent.on('error', () => {
    if (response.headersSent) response.destroy();
    else onNoResponse();
  });
}
