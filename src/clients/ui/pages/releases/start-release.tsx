import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import type { Product } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import field from '../../parts/field.module.css';
import { findError } from '../../parts/find-error.ts';
import { ProblemNotice } from '../../parts/problem.tsx';
import { readForm } from '../../parts/read-form.ts';
import { Select } from '../../parts/select.tsx';
import { useFocusInvalid } from '../../parts/use-focus-invalid.ts';
import { useNavigateIfHere } from '../../parts/use-navigate-if-here.ts';

/** Starts a Release of a commit that a person chooses. */
export function StartRelease({ product, onClose }: { product: Product; onClose: () => void }) {
  const { org, name, spec } = product;
  const queryClient = useQueryClient();
  const navigate = useNavigateIfHere();
  const [repo, setRepo] = useState(spec.repos[0] ?? '');
  const start = useMutation({
    mutationFn: async ({ commit, version }: Record<'commit' | 'version', string>) =>
      await request('post', '/v1/orgs/{org}/releases', {
        params: { org },
        body: {
          product: name,
          ...(spec.repos.length > 1 && { repo }),
          ...(commit.trim() !== '' && { commit: commit.trim() }),
          ...(version.trim() !== '' && { version: version.trim() }),
        },
      }),
    onSuccess: async (release) => {
      await queryClient.invalidateQueries({ queryKey: ['releases', org] });
      await navigate({ to: '/$org/releases/$release', params: { org, release: release.name } });
    },
  });
  const { error } = start;
  const form = useFocusInvalid<HTMLFormElement>(error);
  return (
    <Dialog
      title={`Start a Release of ${spec.displayName ?? name}?`}
      note="It is built, tagged, and promoted from zone to zone, as after a merge."
      onClose={onClose}
      foot={
        <>
          <Button
            look="primary"
            busy={start.isPending}
            onClick={() => form.current && start.mutate(readForm(form.current, 'commit', 'version'))}
          >
            Start the Release
          </Button>
          <Button onClick={onClose}>Not now</Button>
        </>
      }
    >
      <form
        ref={form}
        className={field['field']}
        onSubmit={(event) => {
          event.preventDefault();
          if (!start.isPending) start.mutate(readForm(event.currentTarget, 'commit', 'version'));
        }}
      >
        {spec.repos.length > 1 && (
          <Select
            label="Repo"
            value={repo}
            error={findError(error, '/repo')}
            options={spec.repos.map((one): [string, string] => [one, one])}
            onChange={setRepo}
          />
        )}
        <Field
          label="Commit, optional"
          name="commit"
          autoComplete="off"
          spellCheck={false}
          hint="All 40 digits of its hash. Without it, the newest commit of the default branch."
          error={findError(error, '/commit')}
        />
        <Field
          label="Version, optional"
          name="version"
          autoComplete="off"
          spellCheck={false}
          placeholder="v1.2.3"
          hint="Without it, the next one by the messages of the commits."
          error={findError(error, '/version')}
        />
        <button type="submit" className="sr" tabIndex={-1} aria-hidden="true">
          Start
        </button>
      </form>
      {error && <ProblemNotice error={error} />}
    </Dialog>
  );
}
