import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { signInMethodsQuery } from '../../api/queries/sign-in.ts';
import { signIn } from '../../shell/sign-in.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { SignedOutPage } from '../../parts/signed-out-page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { ProviderLinks } from './provider-links.tsx';
import { readForm } from '../../parts/read-form.ts';

const route = getRouteApi('/signin');

export function SignInPage() {
  const queryClient = useQueryClient();
  const router = useRouter();
  const { to = '/' } = route.useSearch();
  const { data: methods } = useQuery(signInMethodsQuery);
  const submit = useMutation({
    mutationFn: async (values: { email: string; password: string }) => await signIn(queryClient, values),
    onSuccess: () => router.history.replace(to),
  });
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!submit.isPending) submit.mutate(readForm(event.currentTarget, 'email', 'password'));
  };
  return (
    <SignedOutPage
      title="Sign in"
      note={to === '/' ? 'With the e-mail address of your account.' : 'Then you return to the page that you opened.'}
    >
      <form onSubmit={onSubmit}>
        <Field label="E-mail address" name="email" type="email" autoComplete="username" required autoFocus />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
        {submit.error && <ProblemNotice error={submit.error} />}
        <Button look="primary" type="submit" busy={submit.isPending}>
          Sign in
        </Button>
      </form>
      {methods?.password === 'platform-admins' && <p>Only platform admins sign in with a password.</p>}
      {methods && <ProviderLinks providers={methods.identityProviders} to={to} />}
    </SignedOutPage>
  );
}
