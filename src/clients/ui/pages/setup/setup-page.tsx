import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { ApiProblem, request } from '../../api/request.ts';
import { signIn } from '../../api/sign-in.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { GatePage } from '../../parts/gate-page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { readForm } from '../../parts/read-form.ts';
import { takeSetupToken } from './take-setup-token.ts';

const route = getRouteApi('/setup');

/** The first start of an installation: its root user, then its first org. */
export function SetupPage() {
  const { rootUser } = route.useLoaderData();
  const [isSignedIn, setSignedIn] = useState(false);
  const [token] = useState(takeSetupToken);
  if (isSignedIn) return <FirstOrg />;
  if (!rootUser) return <RootUser token={token} onCreated={() => setSignedIn(true)} />;
  return (
    <GatePage title="Set up" note="The root user of this installation exists already.">
      <p>
        <Link to="/signin">Sign in</Link>
      </p>
    </GatePage>
  );
}

/** Finds the message of the API for one field of a body. */
const findError = (error: Error | null, field: string): string | undefined =>
  error instanceof ApiProblem ? error.errors.find(({ pointer }) => pointer.endsWith(`/${field}`))?.detail : undefined;

function RootUser({ token, onCreated }: { token: string | undefined; onCreated: () => void }) {
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: async ({ token, ...credentials }: { token: string; email: string; password: string }) => {
      const headers = { 'X-Service-Setup-Token': token.trim() };
      await request('post', '/v1/setup/root-user', { params: {}, headers, body: credentials });
      await signIn(queryClient, credentials);
    },
    onSuccess: onCreated,
  });
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!create.isPending) create.mutate(readForm(event.currentTarget, 'token', 'email', 'password'));
  };
  return (
    <GatePage
      title="Create the root user"
      note="The first person of this installation, who may change everything in it."
    >
      <form onSubmit={onSubmit}>
        <Field
          label="Setup token"
          name="token"
          autoComplete="off"
          spellCheck={false}
          required
          defaultValue={token}
          autoFocus={token === undefined}
          hint="In the link that the service printed at its start, and in the file setup-token of its data directory."
        />
        <Field
          label="E-mail address"
          name="email"
          type="email"
          autoFocus={token !== undefined}
          autoComplete="username"
          required
          error={findError(create.error, 'email')}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          hint="At least 12 characters."
          error={findError(create.error, 'password')}
        />
        {create.error && <ProblemNotice error={create.error} />}
        <Button look="primary" type="submit" busy={create.isPending}>
          Create the root user
        </Button>
      </form>
    </GatePage>
  );
}

function FirstOrg() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async ({ name }: { name: string }) => await request('post', '/v1/orgs', { params: {}, body: { name } }),
    onSuccess: async ({ name }) => {
      queryClient.clear();
      await navigate({ to: '/$org', params: { org: name } });
    },
  });
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!create.isPending) create.mutate(readForm(event.currentTarget, 'name'));
  };
  return (
    <GatePage
      title="Create the first org"
      note="An org has its Products, people, agents and its account on the code host."
    >
      <form key="org" onSubmit={onSubmit}>
        <Field
          label="Name of the org"
          name="name"
          autoComplete="off"
          spellCheck={false}
          required
          autoFocus
          hint="Lower-case letters, digits and hyphens, such as acme."
          error={findError(create.error, 'name')}
        />
        {create.error && <ProblemNotice error={create.error} />}
        <Button look="primary" type="submit" busy={create.isPending}>
          Create the org
        </Button>
      </form>
      <p>
        <Link to="/">Do this later</Link>
      </p>
    </GatePage>
  );
}
