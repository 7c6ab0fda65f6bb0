import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { cloudAccountsQuery, cloudIdentityQuery } from '../../../api/queries/cloud-accounts.ts';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { Columns, Empty, PageHead, Section } from '../../../parts/page.tsx';
import page from '../../../parts/page.module.css';
import { Mark } from '../../../parts/state.tsx';
import { useOpenRows } from '../../../parts/use-open-rows.ts';
import { emptyDraft, providers } from './account-draft.ts';
import { AccountTable } from './account-table.tsx';
import { EditAccount } from './edit-account.tsx';
import { NewAccount } from './new-account.tsx';
import { TrustDetails } from './trust-details.tsx';

const route = getRouteApi('/signed-in/$org/settings/cloud-accounts');

/** The accounts at clouds in which the service acts for the org, without a secret of theirs. */
export function CloudAccountsPage() {
  const { org } = route.useParams();
  const { data } = useSuspenseQuery(cloudAccountsQuery(org));
  const { data: identity } = useSuspenseQuery(cloudIdentityQuery);
  const [draft, setDraft] = useState(emptyDraft);
  const edited = useOpenRows();
  const last = data.items.find(({ name }) => name === edited.names.at(-1));
  const shown = last ? { ...emptyDraft, ...last.spec } : draft;
  const cloud = providers.find(([provider]) => provider === shown.provider)?.[1];
  return (
    <>
      <PageHead title="Cloud accounts">
        Accounts at AWS and Google Cloud that trust this installation to act for {org}.
      </PageHead>
      <Columns
        aside={
          <>
            <section>
              <h2>How it works</h2>
              <p className="dim">
                No key of the cloud is stored here. The service signs a token that names {org} and lives for five
                minutes; the cloud verifies it with the public keys at the issuer, and returns credentials for it. An
                account that trusts the subject of {org} refuses every other org.
              </p>
            </section>
            <CurlLine path={`/orgs/${org}/cloud-accounts`} />
          </>
        }
      >
        {identity.findings.length > 0 && (
          <div className={page['notice']} data-state="warn">
            <Mark state="warn" />
            <div>
              {identity.findings.map(({ message }) => (
                <p key={message}>{message}</p>
              ))}
              <p>{identity.findings[0]?.fix}</p>
            </div>
          </div>
        )}
        {data.items.length === 0 ? (
          <Empty title="No cloud account yet">
            <p>Let a cloud trust this installation, then add its account below.</p>
          </Empty>
        ) : (
          <AccountTable org={org} accounts={data.items} onEdit={edited.open} />
        )}
        <Section id="trust" title={`What to enter at ${cloud}`} note="Once for each account">
          <TrustDetails identity={identity} org={org} draft={shown} />
        </Section>
        {data.items
          .filter(({ name }) => edited.names.includes(name))
          .map((account) => (
            <Section key={account.name} id={`edit-${account.name}`} title={`Edit ${account.name}`}>
              <EditAccount org={org} account={account} onDone={() => edited.close(account.name)} />
            </Section>
          ))}
        <Section id="new" title="Add a cloud account" note="Checked as soon as it is added">
          <NewAccount org={org} draft={draft} onChange={setDraft} />
        </Section>
      </Columns>
    </>
  );
}
