import { expect, it } from 'vitest';
import { removeHopByHopHeaders, removeServiceHeaders } from '../../src/gate/service-headers.ts';

it.each([
  ['own=1; svc_zone_session=secret', 'own=1'],
  ['svc_zone_session=secret', undefined],
  ['__Host-svc_zone_session=secret; svc_zone_browser=secret; own=1', 'own=1'],
  ['__Secure-svc_session=secret;lang=de', 'lang=de'],
  ['my_svc_cookie=1', 'my_svc_cookie=1'],
])('removes the session and the user header from %s', (cookie, kept) => {
  const headers = {
    cookie,
    accept: 'text/html',
    'x-service-user': 'root',
    x_service_user: 'root',
    'x-service.user': 'root',
  };
  expect(removeServiceHeaders(headers)).toEqual({ accept: 'text/html', ...(kept && { cookie: kept }) });
});

it('removes the headers of one connection, and those that it names', () => {
  const headers = { connection: 'keep-alive, X-Hop', 'x-hop': '1', te: 'trailers', upgrade: 'h2c', 'x-end': '1' };
  expect(removeHopByHopHeaders(headers)).toEqual({ 'x-end': '1' });
});

it('keeps the headers that frame a message, whatever the connection names', () => {
  const framed = { 'content-length': '3', 'transfer-encoding': 'chunked', host: 'shop.example' };
  const headers = { connection: 'close, Content-Length, transfer-encoding, host, x-hop', 'x-hop': '1', ...framed };
  expect(removeHopByHopHeaders(headers)).toEqual(framed);
});
