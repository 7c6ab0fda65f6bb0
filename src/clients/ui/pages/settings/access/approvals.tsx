import type { Schemas } from '../../../api/generated/openapi.ts';
import { request } from '../../../api/request.ts';
import { changeObject } from '../../../parts/change-object.ts';
import { Button } from '../../../parts/button.tsx';
import { FieldList } from '../../../parts/field-list.tsx';
import { CheckField, TextField } from '../../../parts/form-fields.tsx';
import forms from '../../../parts/form.module.css';
import { Section } from '../../../parts/page.tsx';
import { useRowFocus } from '../../../parts/use-row-focus.ts';
import { OrgForm } from '../org-form.tsx';

type Rules = NonNullable<Schemas['Organization']['spec']['approvals']>;
type Login = NonNullable<Rules['codehostLogins']>[number];

/** The rules of approvals, and the accounts of people on the code host. */
export function Approvals({ organization }: { organization: Schemas['Organization'] }) {
  const org = organization.name;
  return (
    <Section id="approvals" title="Approvals" note="For approvals from now on">
      <OrgForm<Rules>
        organization={organization}
        read={({ spec }) => spec.approvals ?? { preventSelfApproval: false }}
        action="putApprovals"
        label="Approvals"
        save={async (body, headers) =>
          await request('put', '/v1/orgs/{org}/approvals', { params: { org }, body, headers })
        }
      >
        {(rules, set) => (
          <>
            <CheckField
              label="Not by a contributor"
              hint="A person who started, guided or wrote a Change or a Release may not approve it."
              pointer="/preventSelfApproval"
              checked={rules.preventSelfApproval}
              onChange={(preventSelfApproval) => set({ ...rules, preventSelfApproval })}
            />
            <Logins
              logins={rules.codehostLogins ?? []}
              onChange={(next) => set(changeObject(rules, { codehostLogins: next.length === 0 ? undefined : next }))}
            />
          </>
        )}
      </OrgForm>
    </Section>
  );
}

function Logins({ logins, onChange }: { logins: Login[]; onChange: (logins: Login[]) => void }) {
  const { list, focusRow } = useRowFocus();
  return (
    <FieldList legend="Accounts on the code host" pointer="/codehostLogins" ref={list}>
      <p className="dim small">
        They tell who wrote a commit. A member without one cannot approve what an event started while the rule above
        holds.
      </p>
      {logins.map((login, index) => (
        <div key={index} data-row className={forms['side']}>
          <TextField
            label="E-mail address"
            pointer={`/codehostLogins/${index}/email`}
            type="email"
            value={login.email}
            onChange={(email) => onChange(logins.with(index, { ...login, email }))}
          />
          <TextField
            label="Account"
            pointer={`/codehostLogins/${index}/login`}
            value={login.login}
            onChange={(account) => onChange(logins.with(index, { ...login, login: account }))}
          />
          <Button
            small
            look="plain"
            aria-label={`Remove the account of ${login.email || `row ${index + 1}`}`}
            onClick={() => {
              focusRow(index);
              onChange(logins.toSpliced(index, 1));
            }}
          >
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button
          small
          onClick={() => {
            focusRow(logins.length);
            onChange([...logins, { email: '', login: '' }]);
          }}
        >
          Add an account
        </Button>
      </div>
    </FieldList>
  );
}
