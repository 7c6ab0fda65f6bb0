import type { ClientRequest, IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';

type RelayOptions = {
  toHeaders: (headers: IncomingHttpHeaders) => OutgoingHttpHeaders;
  onNoResponse: () => void;
};

/** Streams the response to `sent` to the visitor, and cuts it off where it ends early. */
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
