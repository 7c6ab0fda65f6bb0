import { expect, it } from 'vitest';
import { toPermissionsTable } from '../../../src/main/generate/permissions-table.ts';

const operation = (operationId: string, role: string, credential = 'any') => ({
  operationId,
  tags: ['Access'],
  'x-role': role,
  'x-credential': credential,
  responses: {},
});

it('says for each caller which credentials an operation takes', () => {
  const paths = {
    '/v1/orgs/{org}/notes': { get: operation('listNotes', 'member') },
    '/v1/me/keys': { post: operation('createKey', 'signed-in', 'session') },
    '/v1/seal': { put: operation('putSeal', 'platform-admin', 'password-session') },
    '/v1/open': { get: operation('getOpen', 'anyone') },
    '/v1/root': { post: operation('createRoot', 'setup-token') },
  };
  const tags = [
    { name: 'Access', description: 'Who may do what.' },
    { name: 'Empty', description: 'Nothing.' },
  ];
  const lines = toPermissionsTable({ paths, tags })
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' '));
  expect(lines.filter((line) => line.startsWith('| `'))).toEqual([
    '| `listNotes` | `GET /v1/orgs/{org}/notes` | – | – | session, token | session, token | session, token | – |',
    '| `createKey` | `POST /v1/me/keys` | – | session | session | session | session | session |',
    '| `putSeal` | `PUT /v1/seal` | – | – | – | – | password session | – |',
    '| `getOpen` | `GET /v1/open` | open | open | open | open | open | open |',
    '| `createRoot` | `POST /v1/root` | own secret | own secret | own secret | own secret | own secret | own secret |',
  ]);
  expect(lines.filter((line) => line.startsWith('## '))).toEqual(['## Access']);
});
