import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** The app never sees these cookies, which only the service and the gate exchange. */
const serviceCookie = /^(__Host-|__Secure-)?svc_/;

/** Names the visitor to the app. Some frameworks read an underscore in the name of a header as a hyphen. */
export const userHeader = 'x-service-user';
const isUserHeader = (name: string): boolean => name.replaceAll('_', '-') === userHeader;

const hopByHopHeaders = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'];

/** Removes the headers and the cookies that the app must not see. */
export function removeServiceHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { cookie, ...all } = headers;
  const others = Object.fromEntries(Object.entries(all).filter(([name]) => !isUserHeader(name)));
  const kept = (cookie ?? '').split(/; */).filter((one) => one !== '' && !serviceCookie.test(one));
  return kept.length > 0 ? { ...others, cookie: kept.join('; ') } : others;
}

/** Removes the headers that apply to a single connection only. */
export function removeHopByHopHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hopByHopHeaders.includes(name) && !named.includes(name)),
  );
}
