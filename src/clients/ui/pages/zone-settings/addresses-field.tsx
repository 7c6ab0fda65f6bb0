import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { availabilityQuery, domainsQuery } from '../../api/queries/domains.ts';
import { Button } from '../../parts/button.tsx';
import field from '../../parts/field.module.css';
import state from '../../parts/state.module.css';
import table from '../../parts/table.module.css';
import { useRowFocus } from '../../parts/use-row-focus.ts';
import { ErrorText, type FieldsProps } from './field-parts.tsx';
import { toHost, type Address } from './zone-draft.ts';
import styles from './zone-settings.module.css';

const addressesMax = 10;

const includes = (addresses: readonly Address[], address: Address): boolean =>
  addresses.some((one) => toHost(one) === toHost(address));

/** The host names of the zone. A new one is under a verified domain, and free. */
export function AddressesField({
  org,
  ownHost,
  base,
  draft,
  isChanged,
  findError,
  onChange,
}: FieldsProps & { isChanged: boolean }) {
  const { addresses } = draft;
  const { list, focusRow } = useRowFocus();
  const errors = addresses.map((_, index) => findError('addresses', `${index}`));
  const ownError = errors.some((error) => error !== undefined) ? undefined : findError('addresses');
  const added = addresses.filter((address) => !includes(base.addresses, address));
  // A row stays in its place, with the button that has the focus, when its address is removed or kept.
  const rows = [...base.addresses, ...added];
  return (
    <fieldset
      ref={list}
      className={isChanged ? styles['changed'] : undefined}
      data-invalid={ownError !== undefined || undefined}
      aria-describedby={ownError === undefined ? undefined : 'addresses-error'}
    >
      <legend>
        Addresses <span className={styles['count']}>{addresses.length} of 10 besides its own</span>
      </legend>
      <table className={`${table['tbl']} ${table['tight']} ${table['mid']} ${table['wide']}`} aria-label="Addresses">
        <tbody>
          {ownHost !== undefined && (
            <tr>
              <th scope="row" className="mono">
                {ownHost}
              </th>
              <td className="right faint small">its own, stays</td>
            </tr>
          )}
          {rows.map((address, row) => {
            const host = toHost(address);
            const index = addresses.findIndex((one) => toHost(one) === host);
            const isKept = index !== -1;
            const isNew = row >= base.addresses.length;
            const error = errors[index];
            return (
              <tr key={host} data-row data-invalid={error !== undefined || undefined}>
                <th scope="row" className="mono">
                  {isKept ? host : <del>{host}</del>}{' '}
                  {(isNew || !isKept) && <span className={state['label']}>{isKept ? 'new' : 'becomes free'}</span>}
                  <ErrorText id={`address-${index}-error`}>{error}</ErrorText>
                </th>
                <td className="right">
                  <Button
                    small
                    look="plain"
                    aria-label={`${isKept ? 'Remove' : 'Keep'} ${host}`}
                    aria-describedby={error === undefined ? undefined : `address-${index}-error`}
                    onClick={() => {
                      if (isNew) focusRow(row);
                      const next = rows.filter((one) => (one === address ? !isKept : includes(addresses, one)));
                      onChange({ addresses: next });
                    }}
                  >
                    {isKept ? 'Remove' : 'Keep'}
                  </Button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <ErrorText id="addresses-error">{ownError}</ErrorText>
      {draft.access === 'none' && <p className={styles['hint']}>Without access from outside, no address is served.</p>}
      <AddAddress
        org={org}
        isFull={addresses.length >= addressesMax}
        isUsed={(address) => includes(addresses, address)}
        onAdd={(address) => onChange({ addresses: [...addresses, address] })}
      />
    </fieldset>
  );
}

type AddAddressProps = {
  org: string;
  isFull: boolean;
  isUsed: (address: Address) => boolean;
  onAdd: (address: Address) => void;
};

function AddAddress({ org, isFull, isUsed, onAdd }: AddAddressProps) {
  const { data: domains } = useSuspenseQuery(domainsQuery(org));
  const verified = domains.items.filter(({ status }) => status.state === 'Verified');
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string>();
  const domain = chosen ?? verified.find(({ spec }) => spec.kind !== 'platform')?.name ?? verified[0]?.name;
  const isPlatform = verified.some((one) => one.name === domain && one.spec.kind === 'platform');
  const address = domain === undefined ? undefined : { domain, name: name.trim().toLowerCase() };
  const isMissing = address === undefined || (address.name === '' && isPlatform);
  const host = useDeferredValue(address && !isMissing ? toHost(address) : '');
  const { data: availability, error } = useQuery({
    ...availabilityQuery(org, host),
    enabled: host !== '' && name !== '',
    retry: false,
  });
  if (verified.length === 0) return <p className={styles['hint']}>This org has no verified domain for addresses.</p>;
  const why = isFull
    ? 'A zone has at most 10 addresses.'
    : isMissing
      ? 'Give a label: the domain of the platform itself cannot be an address.'
      : isUsed(address)
        ? 'The zone has this address.'
        : availability?.available === false
          ? describeTaken(availability)
          : error?.message;
  const isRefused = name !== '' && why !== undefined;
  const add = (): void => {
    if (why !== undefined || !address) return;
    onAdd(address);
    setName('');
  };
  return (
    <>
      <div className={styles['add']}>
        <label className="sr" htmlFor="address-name">
          Host label
        </label>
        <input
          id="address-name"
          className={`${field['input']} mono`}
          value={name}
          placeholder={isPlatform ? 'label' : 'label, or empty'}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={isRefused || undefined}
          aria-describedby="address-error"
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
        <span className="faint">.</span>
        <label className="sr" htmlFor="address-domain">
          Domain
        </label>
        <select
          id="address-domain"
          className={`${field['select']} mono`}
          value={domain}
          onChange={(event) => setChosen(event.target.value)}
        >
          {verified.map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </select>
        <Button why={why} onClick={add}>
          Add
        </Button>
      </div>
      <div id="address-error" role="status">
        {isRefused ? (
          <ErrorText>{why}</ErrorText>
        ) : (
          availability?.available && <p className={styles['hint']}>{availability.host} is free.</p>
        )}
      </div>
    </>
  );
}

type Availability = { host: string; reason?: string; reservedBy?: { product: string; zone?: string } };

function describeTaken({ host, reason, reservedBy }: Availability): string {
  const { zone, product } = reservedBy ?? {};
  if (product !== undefined)
    return `${host} is an address of ${zone ?? `the Product ${product}`}. Choose another label.`;
  return reason ?? `${host} is not free. Choose another label.`;
}
