import { useSuspenseQuery } from '@tanstack/react-query';
import { identityProvidersQuery } from '../../../api/queries/identity-providers.ts';
import { Section } from '../../../parts/page.tsx';
import { useOpenRows } from '../../../parts/use-open-rows.ts';
import { EditProvider } from './edit-provider.tsx';
import { NewProvider } from './new-provider.tsx';
import { ProviderTable } from './provider-table.tsx';

/** The identity providers that people sign in through, besides their password. */
export function Providers() {
  const { data } = useSuspenseQuery(identityProvidersQuery);
  const edited = useOpenRows();
  return (
    <>
      <Section id="providers" title="Identity providers" note="The sign-in page offers them">
        {data.items.length > 0 ? (
          <ProviderTable providers={data.items} onEdit={edited.open} />
        ) : (
          <p className="dim">None yet. Everyone signs in with a password.</p>
        )}
      </Section>
      {data.items
        .filter(({ name }) => edited.names.includes(name))
        .map((provider) => (
          <Section
            key={provider.name}
            id={`edit-${provider.name}`}
            title={`Edit ${provider.spec.label}`}
            note={provider.spec.issuer}
          >
            <EditProvider provider={provider} onDone={() => edited.close(provider.name)} />
          </Section>
        ))}
      <Section id="new-provider" title="Add an identity provider" note="It is checked before it is saved">
        <NewProvider />
      </Section>
    </>
  );
}
