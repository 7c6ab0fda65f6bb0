import { expect, it } from 'vitest';
import { toBareHost, toPort } from '../../../src/rules/network/url-destination.ts';

it.each([
  ['https://shop.example.com/a', 'shop.example.com', 443],
  ['http://shop.example.com', 'shop.example.com', 80],
  ['https://shop.example.com:8443', 'shop.example.com', 8443],
  ['http://shop.example.com:443', 'shop.example.com', 443],
  ['http://10.0.0.5:80', '10.0.0.5', 80],
  ['https://[fd00::5]', 'fd00::5', 443],
  ['http://[fd00::5]:8080', 'fd00::5', 8080],
])('%s leads to host %s and port %i', (text, host, port) => {
  const url = new URL(text);
  expect(toBareHost(url.hostname)).toBe(host);
  expect(toPort(url)).toBe(port);
});
