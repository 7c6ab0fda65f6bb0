import { expect, it } from 'vitest';
import { removeServiceCookies } from '../../../api/zone-access/remove-service-cookies.ts';

it.each([
  [undefined, ''],
  ['svc_zone_session=a', ''],
  ['__Host-svc_zone_session=a; theme=dark; svc_session=b', 'theme=dark'],
  ['theme=dark;lang=de', 'theme=dark; lang=de'],
  ['my_svc_cookie=1', 'my_svc_cookie=1'],
])('removes the cookies of the service: %s', (header, expected) => {
  expect(removeServiceCookies(header)).toBe(expected);
});
