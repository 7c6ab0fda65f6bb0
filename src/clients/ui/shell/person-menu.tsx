import { Menu } from '@base-ui/react/menu';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Keyboard, KeyRound, LogOut } from 'lucide-react';
import { signOut } from './sign-in.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Person } from '../parts/person.tsx';
import { setTheme, themes, useTheme, type Theme } from './theme.ts';
import menu from './menu.module.css';
import styles from './shell.module.css';

const labels: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' };

/** The person who is signed in, the appearance of the pages, and the way out. */
export function PersonMenu({
  email,
  side = 'top',
  openSheet,
}: {
  email: string;
  side?: 'top' | 'bottom';
  openSheet?: () => void;
}) {
  const theme = useTheme();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: async () => await signOut(queryClient),
    onSuccess: async () => await navigate({ to: '/signin' }),
  });
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles['me']}>
        <Person email={email} className="sr-side" />
        <span className="sr">, your menu</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={menu['positioner']} side={side} align="start" sideOffset={2}>
          <Menu.Popup className={menu['popup']}>
            <p className={menu['note']}>{email}</p>
            <Menu.RadioGroup value={theme} onValueChange={(next: Theme) => setTheme(next)}>
              <Menu.GroupLabel className={menu['note']}>Appearance</Menu.GroupLabel>
              {themes.map((each) => (
                <Menu.RadioItem key={each} value={each} className={menu['item']}>
                  {labels[each]}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className={menu['rule']} />
            {openSheet && (
              <Menu.Item className={menu['item']} onClick={openSheet}>
                <Keyboard className="i s" aria-hidden="true" />
                Keyboard shortcuts
              </Menu.Item>
            )}
            <Menu.Item className={menu['item']} onClick={() => void navigate({ to: '/settings/tokens' })}>
              <KeyRound className="i s" aria-hidden="true" />
              API tokens
            </Menu.Item>
            <Menu.Item className={menu['item']} onClick={() => leave.mutate()}>
              <LogOut className="i s" aria-hidden="true" />
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
      {leave.error && (
        <Dialog
          title="You are still signed in"
          error={leave.error}
          onClose={leave.reset}
          foot={
            <>
              <Button look="primary" busy={leave.isPending} onClick={() => leave.mutate()}>
                Sign out
              </Button>
              <Button onClick={leave.reset}>Stay signed in</Button>
            </>
          }
        >
          <p>The sign-out has failed.</p>
        </Dialog>
      )}
    </Menu.Root>
  );
}
