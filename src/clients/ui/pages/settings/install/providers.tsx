import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { identityProvidersQuery } from '../../../api/queries/identity-providers.ts';
import { Section } from '../../../parts/page.tsx';
import { EditProvider } from './edit-provider.tsx';
import { NewProvider } from './new-provider.tsx';
import { ProviderTable } from './provider-table.tsx';

/** The identity providers that people sign in through, besides their password. */
export function Providers() {
  const { data } = useSuspenseQuery(identityProvidersQuery);
  const [editedName, setEditedName] = useState<string>();
  const edited = data.items.find(({ name }) => name === editedName);
  return (
    <>
      <Section id="providers" title="Identity providers" note="The sign-in page offers them">
        {data.items.length > 0 ? (
          <ProviderTable providers={data.items} onEdit={setEditedName} />
        ) : (
          <p className="dim">None yet. Everyone signs in with a password.</p>
        )}
      </Section>
      {edited && (
        <Section id="edit-provider" title={`Edit ${edited.spec.label}`} note={edited.spec.issuer}>
          <EditProvider key={edited.name} provider={edited} onDone={() => setEditedName(undefined)} />
        </Section>
      )}
      <Section id="new-provider" title="Add an identity provider" note="It is checked before it is saved">
        <NewProvider />
      </Section>
    </>
  );
}
