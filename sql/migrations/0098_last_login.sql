-- When an account last logged in. The rows of `logins` are deleted after 30 days.
alter table accounts add column last_login_at timestamptz;
update accounts a set last_login_at = l.last_at
from (select user_id, max(last_at) as last_at from logins group by user_id) l where l.user_id = a.user_id;
