import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { tokensQuery } from '../../../api/queries/settings.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { Columns, Empty, PageHead, Section } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { useShowMore } from '../../../parts/use-show-more.tsx';
import { OneTimeSecret } from '../../../parts/one-time-secret.tsx';
import table from '../../../parts/table.module.css';
import { Ago, Time } from '../../../parts/time.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { NewToken } from './new-token.tsx';

type Token = Schemas['ApiToken'];
type CreatedToken = Schemas['MintedApiToken'];
const tokensFirst = 100;

/** The person's API tokens. */
export function TokensPage() {
  const { data } = useSuspenseQuery(tokensQuery);
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<CreatedToken[]>([]);
  const readAgain = async (): Promise<void> => await queryClient.invalidateQueries(tokensQuery);
  return (
    <>
      <PageHead title="API tokens">
        For scripts, CI and other clients. A token acts with your roles, or with a lower role that you choose.
      </PageHead>
      <Columns aside={<CurlLine path="/me/tokens" />}>
        {created.map((one) => (
          <OneTimeSecret
            key={one.name}
            title={`Copy the token “${one.label}” now`}
            level={2}
            text={one.token}
            copy="Copy the token"
            onClose={() => setCreated((all) => all.filter(({ name }) => name !== one.name))}
          >
            It is not shown again. Store it like a password.
          </OneTimeSecret>
        ))}
        {data.items.length === 0 ? (
          <Empty title="No token yet">
            <p>Create one below. Its text is shown once.</p>
          </Empty>
        ) : (
          <TokenTable tokens={data.items} onRevoked={readAgain} />
        )}
        <Section id="new" title="Create a token">
          <NewToken
            onCreated={async (token) => {
              setCreated((all) => [token, ...all]);
              await readAgain();
            }}
          />
        </Section>
      </Columns>
    </>
  );
}

function TokenTable({ tokens, onRevoked }: { tokens: Token[]; onRevoked: () => Promise<void> }) {
  const { shown, more } = useShowMore(tokens, tokensFirst);
  return (
    <>
      <table className={table['tbl']}>
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col">Maximum role</th>
            <th scope="col">Last use</th>
            <th scope="col">Expires</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {shown.map((token) => (
            <Row key={token.name} token={token} onRevoked={onRevoked} />
          ))}
        </tbody>
      </table>
      {more}
    </>
  );
}

function Row({ token, onRevoked }: { token: Token; onRevoked: () => Promise<void> }) {
  const revoke = useMutation({
    mutationFn: async () => await request('delete', '/v1/me/tokens/{token}', { params: { token: token.name } }),
    onSuccess: async () => {
      announce(`The token ${token.label} is revoked.`);
      await onRevoked();
    },
  });
  const isExpired = token.expiresAt !== undefined && Date.parse(token.expiresAt) < Date.now();
  return (
    <tr>
      <th scope="row" className={table['title']}>
        {token.label}
        <p className="dim small">
          Created <Time at={token.createdAt} />
        </p>
        {revoke.error && <ProblemNotice error={revoke.error} />}
      </th>
      <td data-l="Maximum role">{token.roleMax ?? 'Everything that you may do'}</td>
      <td data-l="Last use">
        {token.lastUsedAt === undefined ? (
          'Never'
        ) : (
          <>
            <Ago since={token.lastUsedAt} />
          </>
        )}
      </td>
      <td data-l="Expires">
        {token.expiresAt === undefined ? 'Never' : <Time at={token.expiresAt} />}
        {isExpired && ' (expired)'}
      </td>
      <td className="right">
        <Confirm
          trigger={
            <Button small aria-label={`Revoke ${token.label}`} busy={revoke.isPending}>
              Revoke
            </Button>
          }
          title={`Revoke ${token.label}?`}
          action="Revoke"
          onConfirm={() => revoke.mutate()}
        >
          Its next request is rejected. Anything that uses it needs another token.
        </Confirm>
      </td>
    </tr>
  );
}
