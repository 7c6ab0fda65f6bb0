import { useSuspenseQuery } from '@tanstack/react-query';
import { identityProvidersQuery } from '../../../api/queries/identity-providers.ts';
import { Section } from '../../../parts/page.tsx';
import { NewProvider } from './new-provider.tsx';
import { ProviderTable } from './provider-table.tsx';

/** The identity providers that people sign in through, besides their password. */
export function Providers() {
  const { data } = useSuspenseQuery(identityProvidersQuery);
  return (
    <>
      <Section id="providers" title="Identity providers" note="The sign-in page offers them">
        {data.items.length > 0 ? (
          <ProviderTable providers={data.items} />
        ) : (
          <p className="dim">None yet. Everybody signs in with a password.</p>
        )}
      </Section>
      <Section id="new-provider" title="Add an identity provider" note="Asked for its configuration before it is saved">
        <NewProvider />
      </Section>
    </>
  );
}
