import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { deviceQuery } from '../../api/queries/device.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import decision from '../../parts/decision.module.css';
import { Field } from '../../parts/field.tsx';
import { Details, Empty, PageHead, Skeleton } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { readForm } from '../../parts/read-form.ts';
import { Select } from '../../parts/select.tsx';
import { Age, Time } from '../../parts/time.tsx';
import { announce } from '../../shell/announcer.tsx';
import styles from './device-page.module.css';

type DeviceSignIn = Schemas['DeviceSignIn'];
type Role = NonNullable<DeviceSignIn['roleMax']>;

const route = getRouteApi('/signed-in/device');
const roles: [role: Role, text: string][] = [
  ['viewer', 'viewer: read only'],
  ['member', 'member: read, start and approve'],
  ['org-admin', 'org-admin: also change settings of orgs'],
];

/** A person compares the code of a tool, such as a command line, and lets it act for them or not. */
export function DevicePage() {
  const { code } = route.useSearch();
  return (
    <>
      <PageHead title="Sign in a tool">
        A tool that shows you a code asks to act on your behalf. Approve it only if you have started it yourself.
      </PageHead>
      {code === undefined ? <CodeForm /> : <Found key={code} code={code} />}
    </>
  );
}

function CodeForm({ typed = '' }: { typed?: string }) {
  const navigate = useNavigate();
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { code } = readForm(event.currentTarget, 'code');
    void navigate({ to: '/device', search: { code: code.trim() } });
  };
  return (
    <form className={styles['form']} onSubmit={onSubmit}>
      <Field
        label="Code"
        name="code"
        hint="The tool shows it, such as WDJB-MJHT."
        defaultValue={typed}
        autoComplete="one-time-code"
        autoCapitalize="characters"
        spellCheck={false}
        required
        autoFocus
      />
      <Button look="primary" type="submit">
        Continue
      </Button>
    </form>
  );
}

function Found({ code }: { code: string }) {
  const { data: device, error } = useQuery(deviceQuery(code));
  if (error)
    return (
      <div className={styles['form']}>
        <ProblemNotice error={error} />
        <CodeForm typed={code} />
      </div>
    );
  return device ? <Decision code={code} device={device} /> : <Skeleton rows={4} />;
}

function Decision({ code, device }: { code: string; device: DeviceSignIn }) {
  const [roleMax, setRoleMax] = useState<Role>(device.roleMax ?? 'org-admin');
  const decide = useMutation({
    mutationFn: async (outcome: 'approve' | 'deny') => {
      if (outcome === 'deny') await request('post', '/v1/me/device-sign-ins/{code}/deny', { params: { code } });
      else await request('post', '/v1/me/device-sign-ins/{code}/approve', { params: { code }, body: { roleMax } });
      return outcome;
    },
    onSuccess: (outcome) => announce(outcome === 'approve' ? 'Approved' : 'Denied'),
  });
  if (decide.data === 'approve')
    return (
      <Empty title={`${device.client} is signed in`}>
        <p>
          Go back to the tool: it continues automatically. You can revoke its token at any time among your API tokens.
        </p>
      </Empty>
    );
  if (decide.data === 'deny')
    return (
      <Empty title={`${device.client} was denied`}>
        <p>The tool gets no access. If you did not start it, no other action is needed.</p>
      </Empty>
    );
  return (
    <section id="decision" className={decision['decision']} aria-labelledby="compare">
      <header>
        <h2 id="compare">Does {device.client} show this code?</h2>
      </header>
      <div className={styles['body']}>
        <p className={styles['code']}>{formatCode(code)}</p>
        <Details
          items={[
            ['Tool', device.client],
            ['Requested from', <code key="address">{device.address}</code>],
            ['Requested', <Age key="age" since={device.createdAt} />],
            ['Code is valid until', <Time key="until" at={device.expiresAt} />],
          ]}
        />
        <label className={styles['role']}>
          <span aria-hidden="true">Maximum role in any org</span>
          <Select
            label="Maximum role in any org"
            value={roleMax}
            options={roles}
            onChange={(role) => setRoleMax(role as Role)}
          />
        </label>
        {decide.error && <ProblemNotice error={decide.error} />}
        <div className="row wrap">
          <Button look="primary" busy={decide.isPending} onClick={() => decide.mutate('approve')}>
            Approve {formatCode(code)}
          </Button>
          <Button look="danger" busy={decide.isPending} onClick={() => decide.mutate('deny')}>
            Deny
          </Button>
        </div>
      </div>
    </section>
  );
}

const formatCode = (code: string): string => {
  const letters = code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return letters.length === 8 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : code;
};
