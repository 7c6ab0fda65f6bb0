/** Returns a Cookie header without the cookies of the service, which the app of a zone must not see. */
export const removeServiceCookies = (header = ''): string =>
  header
    .split(/; */)
    .filter((cookie) => cookie !== '' && !/^(__Host-|__Secure-)?svc_/.test(cookie))
    .join('; ');
