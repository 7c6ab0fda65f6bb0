import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { meQuery } from '../../../api/queries/me.ts';
import { sessionsQuery } from '../../../api/queries/settings.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { Columns, PageHead, Section } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import table from '../../../parts/table.module.css';
import { Ago, Time } from '../../../parts/time.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { ChangePassword } from './change-password.tsx';

/** The person's password and the browsers in which they are signed in. */
export function AccountPage() {
  const { data: me } = useSuspenseQuery(meQuery);
  const { data } = useSuspenseQuery(sessionsQuery);
  return (
    <>
      <PageHead title="Your account">You sign in as {me.email}.</PageHead>
      <Columns aside={<CurlLine path="/me/sessions" />}>
        <Sessions sessions={data.items} />
        <Section id="password" title="Change your password" note="Ends your other sessions">
          <ChangePassword />
        </Section>
      </Columns>
    </>
  );
}

function Sessions({ sessions }: { sessions: Schemas['Session'][] }) {
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: async () => await request('delete', '/v1/me/sessions', { params: {} }),
    onSuccess: async () => {
      announce('Your other sessions have ended.');
      await queryClient.invalidateQueries(sessionsQuery);
    },
  });
  const isOnly = sessions.every(({ current }) => current);
  return (
    <Section
      id="sessions"
      title="Sessions"
      note="A session ends after two hours without use"
      aside={
        <Button
          small
          busy={end.isPending}
          why={isOnly ? 'You have no other session.' : undefined}
          onClick={() => end.mutate()}
        >
          Sign out everywhere else
        </Button>
      }
    >
      {sessions.length > 0 && (
        <table className={table['tbl']}>
          <thead>
            <tr>
              <th scope="col">Signed in</th>
              <th scope="col">Last use</th>
              <th scope="col">Ends at the latest</th>
            </tr>
          </thead>
          <tbody>
            {sessions.map(({ current, startedAt, lastUsedAt, expiresAt }) => (
              <tr key={`${startedAt} ${expiresAt}`}>
                <th scope="row" className={table['title']}>
                  <Time at={startedAt} />
                  {current && <span className="dim"> in this browser</span>}
                </th>
                <td data-l="Last use">{lastUsedAt === undefined ? 'At the sign-in' : <Ago since={lastUsedAt} />}</td>
                <td data-l="Ends at the latest">
                  <Time at={expiresAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {end.error && <ProblemNotice error={end.error} />}
    </Section>
  );
}
