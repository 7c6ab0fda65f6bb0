import { expect, it } from 'vitest';
import { appManifest } from '../../../api/codehost/app-manifest.ts';
import { scopes } from '../../../src/integrations/codehost/scoped-auth.ts';

it('requests the permissions that some token of the service carries, and no other', () => {
  const used: Record<string, 'read' | 'write'> = {};
  for (const permissions of Object.values(scopes))
    for (const [name, level] of Object.entries(permissions)) if (used[name] !== 'write') used[name] = level;
  const { default_permissions: requested } = appManifest({ org: 'acme', publicUrl: 'https://service.example.com' });
  expect(requested).toEqual(used);
});
