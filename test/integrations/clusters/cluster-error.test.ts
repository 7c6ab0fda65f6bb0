import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { toConnectionError } from '../../../src/integrations/clusters/cluster-error.ts';

const server = 'https://k8s.example.com';
const coded = (code: unknown, cause?: unknown): Error => Object.assign(new Error('fetch failed', { cause }), { code });

it('says why a server was not asked, wherever the refusal is among the causes', () => {
  const refusal = new ServiceError('cluster-setting-invalid', 'The address is private.');
  expect(toConnectionError(new Error('fetch failed', { cause: coded('ECONNRESET', refusal) }), server)).toMatchObject({
    reason: 'cluster-setting-invalid',
    message: `The API server ${server} was not asked. The address is private.`,
    errors: [{ pointer: '/kubeconfig', detail: 'clusters[0].cluster.server: The address is private.' }],
  });
});

it.each(['SELF_SIGNED_CERT_IN_CHAIN', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'])(
  'points at the authority for %s',
  (code) => {
    expect(toConnectionError(new Error('fetch failed', { cause: coded(code) }), server)).toMatchObject({
      message: expect.stringContaining(`The certificate of the API server ${server} is not trusted (${code}).`),
      errors: [{ detail: expect.stringContaining('certificate-authority-data') }],
    });
  },
);

it.each<[string, unknown, string]>([
  [
    'the first code of the causes',
    new Error('fetch failed', { cause: coded('ECONNREFUSED', coded('EOTHER')) }),
    ' (ECONNREFUSED)',
  ],
  ['no code when there is none', new Error('UNABLE'), ''],
  ['no code that is text of the server', coded('<script>'), ''],
  ['no code that is a number', coded(404), ''],
  ['nothing of a value that is no error', 'SELF_SIGNED', ''],
])('names %s', (_, error, shown) => {
  expect(toConnectionError(error, server)).toMatchObject({
    message: `The API server ${server} cannot be reached${shown}. Check the address.`,
    errors: [{ detail: 'clusters[0].cluster.server: cannot be reached' }],
  });
});
