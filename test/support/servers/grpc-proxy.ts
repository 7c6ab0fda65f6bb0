import {
  type ClientHttp2Session,
  connect,
  constants,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

export type GrpcProxy = { address: string; close(): Promise<void> };
/** Decides about one call; the proxy forwards what it does not answer itself. */
type HandleCall = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, upstream: ClientHttp2Session) => void;

/** Starts a server in front of a gRPC server without TLS. */
export async function startGrpcProxy(
  server: Http2Server | Http2SecureServer,
  targetAddress: string,
  handleCall: HandleCall,
): Promise<GrpcProxy> {
  const upstream = connect(`http://${targetAddress}`);
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => {});
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    handleCall(stream, headers, upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Forwards a call; `body` is what was already read of it. */
export function forwardCall(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  upstream: ClientHttp2Session,
  body?: Buffer,
): void {
  const { ':scheme': _, ':authority': __, ...rest } = headers;
  const call = upstream.request(rest);
  call.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
  stream.on('close', () => call.close(constants.NGHTTP2_CANCEL));
  if (body) call.end(body);
  else stream.pipe(call);
  call.on('response', (responseHeaders, flags) => {
    const endsStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(responseHeaders, { waitForTrailers: !endsStream, endStream: endsStream });
    if (endsStream) return;
    let trailers = {};
    call.on('trailers', (received) => (trailers = received));
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    call.pipe(stream);
  });
}

/** Ends a call with a status of gRPC, such as 16 for UNAUTHENTICATED. */
export function rejectCall(stream: ServerHttp2Stream, status: number, message = ''): void {
  const headers = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status) };
  stream.respond({ ...headers, 'grpc-message': message }, { endStream: true });
}
