import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** The app never sees these cookies, which only the service and the gate exchange. */
const serviceCookie = /^(__Host-|__Secure-)?svc_/;

/** Names the visitor to the app. Some frameworks read an underscore or a dot in the name of a header as a hyphen. */
export const userHeader = 'x-service-user';
const isUserHeader = (name: string): boolean => name.replaceAll(/[^a-z0-9]/g, '-') === userHeader;

const hopByHopHeaders = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'];

/** Removes the headers and the cookies that the app must not see. */
export function removeServiceHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { cookie, ...all } = headers;
  const others = Object.fromEntries(Object.entries(all).filter(([name]) => !isUserHeader(name)));
  const kept = (cookie ?? '').split(/; */).filter((one) => one !== '' && !serviceCookie.test(one));
  return kept.length > 0 ? { ...others, cookie: kept.join('; ') } : others;
}

/** Without them, the receiver would take the body for another request, whose headers did not pass the gate. */
const endToEndHeaders = ['content-length', 'transfer-encoding', 'host'];

/** Removes the headers that apply to a single connection only. */
export function removeHopByHopHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const removed = [...hopByHopHeaders, ...named.filter((name) => !endToEndHeaders.includes(name))];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !removed.includes(name)));
}
