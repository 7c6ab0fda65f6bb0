import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { orgQuery } from '../../api/queries/products.ts';
import { statusQuery } from '../../api/queries/settings.ts';
import { request } from '../../api/request.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import field from '../../parts/field.module.css';
import { findError } from '../../parts/find-error.ts';
import { useNavigateIfHere } from '../../parts/use-navigate-if-here.ts';
import { announce } from '../../shell/announcer.tsx';

type Kind = 'external' | 'managed';
const choices: [kind: Kind, label: string, note: string][] = [
  ['external', 'A domain that the org owns', 'You set the records at its DNS provider; the next page shows them.'],
  ['managed', 'A subdomain of the installation', 'The service sets its records. Under'],
];

/** Claims a domain, and leads to the records that it needs. */
export function AddDomain({ org, look }: { org: string; look?: 'primary' }) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('external');
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  const roots = useQuery({ ...statusQuery, enabled: isOpen }).data?.domains.managedRoots ?? [];
  const queryClient = useQueryClient();
  const navigate = useNavigateIfHere(isOpen);
  const add = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/domains', { params: { org }, body: { name: name.trim(), kind } }),
    onSuccess: async (domain) => {
      announce(`${domain.name} was added.`);
      queryClient.setQueryData(['domain', org, domain.name], domain);
      void queryClient.invalidateQueries({ queryKey: ['domains', org] });
      await navigate({ to: '/$org/domains/$domain', params: { org, domain: domain.name } });
      setOpen(false);
    },
  });
  const kindError = findError(add.error, '/kind');
  const isMissing = name.trim() === '';
  // A list has no actions; those of the org say who may add to it.
  const action = organization.actions.find((one) => one.name === 'createDomain');
  const why = action?.allowed === true ? undefined : (action?.message ?? 'You may not add a domain.');
  return (
    <FormDialog
      trigger={
        <Button look={look} why={why}>
          <Plus className="i s" aria-hidden="true" />
          Add domain
        </Button>
      }
      title="Add a domain"
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSubmit={() => isMissing || add.isPending || add.mutate()}
      error={add.error}
      foot={
        <Button
          look="primary"
          type="submit"
          busy={add.isPending}
          why={isMissing ? 'Give the name of the domain.' : undefined}
        >
          Add {name.trim() || 'the domain'}
        </Button>
      }
    >
      <Field
        label="Name"
        name="name"
        value={name}
        placeholder="example.com"
        spellCheck={false}
        autoComplete="off"
        autoFocus
        onChange={(event) => {
          add.reset();
          setName(event.target.value);
        }}
        hint="Without scheme, port or path."
        error={findError(add.error, '/name')}
      />
      <fieldset
        role="radiogroup"
        aria-invalid={kindError === undefined ? undefined : true}
        aria-describedby={kindError === undefined ? undefined : 'kind-error'}
      >
        <legend className="sr">Who sets up its DNS</legend>
        {choices
          .filter(([choice]) => choice === 'external' || roots.length > 0)
          .map(([choice, label, note]) => (
            <div key={choice} className={field['opt']}>
              <input
                type="radio"
                id={`kind-${choice}`}
                name="kind"
                checked={choice === kind}
                onChange={() => setKind(choice)}
              />
              <label htmlFor={`kind-${choice}`}>
                {label}
                <span>{choice === 'managed' ? `${note} ${roots.join(', ')}.` : note}</span>
              </label>
            </div>
          ))}
        {kindError !== undefined && (
          <p className={field['field']}>
            <span id="kind-error" className={field['err']}>
              {kindError}
            </span>
          </p>
        )}
      </fieldset>
    </FormDialog>
  );
}
