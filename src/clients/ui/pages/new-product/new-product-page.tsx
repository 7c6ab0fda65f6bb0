import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { orgQuery, templatesQuery } from '../../api/queries/products.ts';
import { ApiProblem, request } from '../../api/request.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import { CurlLine } from '../../parts/curl-line.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { findError } from '../../parts/find-error.ts';
import { Columns, PageHead } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { readForm } from '../../parts/read-form.ts';
import { TextArea } from '../../parts/text-area.tsx';
import { useFocusInvalid } from '../../parts/use-focus-invalid.ts';
import { useNavigateIfHere } from '../../parts/use-navigate-if-here.ts';
import { ArchiveField } from './archive-field.tsx';
import { OriginChoice } from './origin-choice.tsx';
import { TemplateChoice } from './template-choice.tsx';
import styles from './new-product.module.css';

const route = getRouteApi('/signed-in/$org/products/new');

/** Creates a Product from a template, from an uploaded archive, or around a repo that exists. */
export function NewProductPage() {
  const { org } = route.useParams();
  const { from = 'template' } = route.useSearch();
  const navigate = useNavigateIfHere();
  const queryClient = useQueryClient();
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  const { data: templates } = useSuspenseQuery(templatesQuery);
  const [archive, setArchive] = useState<Schemas['Archive']>();
  const create = useMutation({
    mutationFn: async ({ name, displayName, description, repo, template }: Values) => {
      const newRepo = repo.trim() === '' ? {} : { repo: repo.trim() };
      const origins = {
        template: { source: { ...newRepo, template: template as Schemas['Template']['name'] } },
        archive: { source: { ...newRepo, archive: { sha256: archive?.sha256 ?? '' } } },
        repo: { repos: [repo.trim()] },
      };
      const texts = { displayName: displayName.trim(), description: description.trim() };
      const spec = {
        ...(texts.displayName !== '' && { displayName: texts.displayName }),
        ...(texts.description !== '' && { description: texts.description }),
        ...origins[from],
      };
      return await request('post', '/v1/orgs/{org}/products', { params: { org }, body: { name: name.trim(), spec } });
    },
    onSuccess: async (product) => {
      queryClient.setQueryData(['product', org, product.name], product);
      await queryClient.invalidateQueries({ queryKey: ['products', org] });
      await navigate({ to: '/$org/products/$product', params: { org, product: product.name } });
    },
  });
  const { error } = create;
  const form = useFocusInvalid<HTMLFormElement>(error);
  const action = organization.actions.find(({ name }) => name === 'createProduct');
  const why = action?.allowed === true ? undefined : (action?.message ?? 'You may not create a Product.');
  const whyNot = why ?? (from === 'archive' && !archive ? 'Choose an archive first.' : undefined);
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (create.isPending || whyNot !== undefined) return;
    create.mutate(readForm(event.currentTarget, 'name', 'displayName', 'description', 'repo', 'template'));
  };
  const account = organization.spec.codehostAccount;
  return (
    <>
      <PageHead title="New Product">One thing that {org} ships: its repos, its zones and its Releases.</PageHead>
      <Columns aside={<Hints org={org} from={from} />}>
        <form className={styles['form']} ref={form} onSubmit={onSubmit}>
          <OriginChoice org={org} from={from} />
          {from === 'template' && (
            <TemplateChoice templates={templates.items} error={findError(error, '/spec/source/template')} />
          )}
          {from === 'archive' && (
            <ArchiveField
              org={org}
              archive={archive}
              error={findError(error, '/spec/source/archive')}
              why={why}
              onUploaded={setArchive}
            />
          )}
          <Field
            label="Name"
            name="name"
            required
            autoComplete="off"
            spellCheck={false}
            placeholder="checkout"
            hint="Lowercase letters, digits and hyphens. The zones get the names <name>-rc and <name>-prod."
            error={findError(error, '/name') ?? toNameError(error)}
          />
          <Field
            key={from === 'repo' ? 'existing' : 'new'}
            label={from === 'repo' ? 'Repo' : 'Repo to create, optional'}
            name="repo"
            required={from === 'repo'}
            autoComplete="off"
            spellCheck={false}
            placeholder={from === 'repo' ? `${account}/checkout` : `${account}/<name>`}
            hint={
              from === 'repo'
                ? 'Owner and name at the code host. The app of this service needs access to it.'
                : `A repo of the account ${account} that does not exist yet.`
            }
            error={findError(error, from === 'repo' ? '/spec/repos' : '/spec/source/repo')}
          />
          <Field
            label="Title, optional"
            name="displayName"
            autoComplete="off"
            hint="What people call it."
            error={findError(error, '/spec/displayName')}
          />
          <TextArea
            label="Description, optional"
            name="description"
            rows={2}
            hint="What it does and for whom."
            error={findError(error, '/spec/description')}
          />
          {error && <ProblemNotice error={error} />}
          <div className="row wrap">
            <Button look="primary" type="submit" why={whyNot} busy={create.isPending}>
              {create.isPending ? 'Creating…' : 'Create the Product'}
            </Button>
            <ButtonLink to="/$org" params={{ org }}>
              Not now
            </ButtonLink>
            {whyNot !== undefined && <span className="dim small">{whyNot}</span>}
          </div>
        </form>
      </Columns>
    </>
  );
}

type Values = Record<'name' | 'displayName' | 'description' | 'repo' | 'template', string>;

const toNameError = (error: Error | null): string | undefined =>
  error instanceof ApiProblem && ['already-exists', 'name-taken'].includes(error.reason) ? error.message : undefined;

const happens = {
  template: ['The repo is created', 'The files of the template are committed', 'The first Release is built'],
  archive: ['The repo is created', 'The files of the archive are committed', 'The first Release is built'],
  repo: ['The Product is created', 'A merged Change, or you, start the first Release'],
};

const examples = {
  template: { source: { template: 'node-service' } },
  archive: { source: { archive: { sha256: '…' } } },
  repo: { repos: ['owner/checkout'] },
};

const Hints = ({ org, from }: { org: string; from: keyof typeof happens }) => (
  <>
    <section>
      <h2>What happens next</h2>
      <ol className={styles['next']}>
        {happens[from].map((text) => (
          <li key={text}>{text}</li>
        ))}
        <li>It goes to the pre-production zone by itself, and to production after an approval</li>
      </ol>
      <p className="dim small">It continues if you close this page.</p>
    </section>
    <CurlLine path={`/orgs/${org}/products`} body={{ name: 'checkout', spec: examples[from] }} />
  </>
);
