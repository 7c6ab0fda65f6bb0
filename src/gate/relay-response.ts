import type { ClientRequest, IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';

type RelayOptions = {
  toHeaders: (headers: IncomingHttpHeaders) => OutgoingHttpHeaders;
  onNoResponse: () => void;
};

/**
 * Streams the app's response to the visitor, without its reason phrase. If it breaks off, the connection of the visitor
 * is closed too.
 */
export function relayResponse(
  appRequest: ClientRequest,
  response: ServerResponse,
  { toHeaders, onNoResponse }: RelayOptions,
): void {
  appRequest.on('response', (appResponse) => {
    // Node has read the framing of the body, and frames it again as the connection of the visitor needs it.
    const { statusCode = 0, headers } = appResponse;
    delete headers['transfer-encoding'];
    if (!isStatus(statusCode)) {
      onNoResponse();
      appRequest.destroy();
      return;
    }
    response.writeHead(statusCode, toHeaders(headers));
    appResponse.pipe(response);
    appResponse.on('error', () => response.destroy());
  });
  // Without a listener, Node closes the connection and the request ends without an error and without a response.
  appRequest.on('upgrade', (_, connection) => {
    connection.destroy();
    onNoResponse();
  });
  appRequest.on('error', () => {
    if (response.headersSent) response.destroy();
    else onNoResponse();
  });
}

/** Node reads any status and reason phrase of an app, and throws when it sends one that is invalid. */
const isStatus = (code: number): boolean => code >= 200;
