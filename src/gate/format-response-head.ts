import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http';

/** Formats a response for a connection that left HTTP for an upgrade, up to and including the empty line. */
export function formatResponseHead(status: number, headers: OutgoingHttpHeaders, statusMessage?: string): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  );
  return [`HTTP/1.1 ${status} ${statusMessage || (STATUS_CODES[status] ?? '')}`, ...lines, '', ''].join('\r\n');
}
