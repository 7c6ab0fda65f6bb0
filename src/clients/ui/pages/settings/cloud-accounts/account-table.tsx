import { useMutation, useQueryClient } from '@tanstack/react-query';
import { cloudAccountsQuery } from '../../../api/queries/cloud-accounts.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { Mark } from '../../../parts/state.tsx';
import table from '../../../parts/table.module.css';
import { Time } from '../../../parts/time.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { DeleteRow } from '../delete-row.tsx';
import type { Account } from './account-draft.ts';
import styles from './cloud-accounts.module.css';

type Props = { org: string; accounts: Account[]; onEdit: (name: string) => void };

export const AccountTable = ({ org, accounts, onEdit }: Props) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Account</th>
        <th scope="col">Signs in as</th>
        <th scope="col">Last check</th>
        <td />
      </tr>
    </thead>
    <tbody>
      {accounts.map((account) => (
        <Row key={account.name} org={org} account={account} onEdit={onEdit} />
      ))}
    </tbody>
  </table>
);

function Row({ org, account, onEdit }: Pick<Props, 'org' | 'onEdit'> & { account: Account }) {
  const { name, spec, actions } = account;
  return (
    <tr>
      <th scope="row" className={table['title']}>
        {name}
      </th>
      <td data-l="Signs in as">
        <code className={styles['long']}>{spec.roleArn ?? spec.serviceAccount}</code>
        {spec.region !== undefined && <p className="dim">In {spec.region}</p>}
      </td>
      <td data-l="Last check">
        <LastCheck account={account} />
      </td>
      <td className="right">
        <CheckAccount org={org} account={account} />{' '}
        <Button
          small
          why={findRefusal(actions, 'replaceCloudAccount')}
          aria-label={`Edit ${name}`}
          onClick={() => onEdit(name)}
        >
          Edit
        </Button>{' '}
        <DeleteAccount org={org} account={account} />
      </td>
    </tr>
  );
}

function LastCheck({ account: { status, generation } }: { account: Account }) {
  const check = status?.lastCheck;
  if (!check) return <span className="dim">Not checked yet</span>;
  const isOutdated = check.generation !== generation;
  return (
    <>
      <span className="row">
        <Mark state={isOutdated ? 'idle' : check.result === 'works' ? 'done' : 'failed'} />
        <span className={styles['long']}>{check.message}</span>
      </span>
      {check.fix !== undefined && <p className={styles['long']}>{check.fix}</p>}
      <p className="dim">
        {check.code !== undefined && (
          <>
            <code>{check.code}</code>,{' '}
          </>
        )}
        <Time at={check.at} />
        {isOutdated && '. Changed since then: check it again.'}
      </p>
    </>
  );
}

function CheckAccount({ org, account: { name, actions } }: { org: string; account: Account }) {
  const queryClient = useQueryClient();
  const check = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/cloud-accounts/{name}/check', { params: { org, name } }),
    onSuccess: async ({ status }) => {
      announce(status?.lastCheck?.message ?? `The account ${name} is checked.`);
      await queryClient.invalidateQueries(cloudAccountsQuery(org));
    },
  });
  return (
    <>
      <Button
        small
        why={findRefusal(actions, 'checkCloudAccount')}
        busy={check.isPending}
        aria-label={`Check ${name}`}
        onClick={() => check.mutate()}
      >
        Check
      </Button>
      {check.error && <ProblemNotice error={check.error} />}
    </>
  );
}

function DeleteAccount({ org, account: { name, actions } }: { org: string; account: Account }) {
  const queryClient = useQueryClient();
  return (
    <DeleteRow
      kind="account"
      name={name}
      why={findRefusal(actions, 'deleteCloudAccount')}
      onDelete={async () => await request('delete', '/v1/orgs/{org}/cloud-accounts/{name}', { params: { org, name } })}
      onSettled={async () => await queryClient.invalidateQueries(cloudAccountsQuery(org))}
    >
      The service signs in there no longer. The cloud trusts it until you remove the trust there, too.
    </DeleteRow>
  );
}
