import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { cloudAccountsQuery } from '../../../api/queries/cloud-accounts.ts';
import { meQuery } from '../../../api/queries/me.ts';
import { ChoiceField, TextField } from '../../../parts/form-fields.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import type { ClusterDraft } from './cluster-draft.ts';

type Cloud = ClusterDraft['cloud'];
type Props = { cloud: Cloud; onChange: (cloud: Cloud) => void };

const unchosen = ['', 'Choose one'] as const;
const toOptions = (names: readonly string[], chosen: string): (readonly [string, string])[] => {
  // One that is gone stays an option until another one is chosen.
  const all = [...new Set([...names, ...(chosen === '' ? [] : [chosen])])];
  return [unchosen, ...all.map((name) => [name, name] as const)];
};

/** Chooses the cloud account of an org, and names the cluster at its cloud. */
export function CloudFields({ cloud, onChange }: Props) {
  const { org, account, cluster } = cloud;
  const { data: me } = useQuery(meQuery);
  const { data, error } = useQuery({ ...cloudAccountsQuery(org), enabled: org !== '' });
  const accounts = data?.items ?? [];
  const provider = accounts.find(({ name }) => name === account)?.spec.provider;
  return (
    <>
      <ChoiceField
        label="Org of the account"
        pointer="/cloud/org"
        value={org}
        options={toOptions(me?.orgs.map((one) => one.org) ?? [], org)}
        onChange={(chosen) => onChange({ ...cloud, org: chosen, account: '' })}
      />
      <ChoiceField
        label="Cloud account"
        hint={
          org === '' ? (
            'Choose an org first.'
          ) : (
            <>
              Accounts are added in{' '}
              <Link to="/$org/settings/cloud-accounts" params={{ org }}>
                the settings of {org}
              </Link>
              .
            </>
          )
        }
        pointer="/cloud/account"
        value={account}
        options={toOptions(
          accounts.map(({ name }) => name),
          account,
        )}
        onChange={(chosen) => onChange({ ...cloud, account: chosen })}
      />
      {error && <ProblemNotice error={error} />}
      <TextField
        label="Cluster at the cloud"
        hint={
          provider === 'google'
            ? 'projects/<project>/locations/<location>/clusters/<name>. The service account needs roles/container.clusterViewer.'
            : 'Name of an EKS cluster in the region of the account. Its role needs eks:DescribeCluster and an access entry.'
        }
        pointer={['/cloud/cluster', '/cloud']}
        mono
        required
        spellCheck={false}
        value={cluster}
        onChange={(name) => onChange({ ...cloud, cluster: name })}
      />
    </>
  );
}
