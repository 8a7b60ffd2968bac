"""Every secret here is put together when the test runs, so that this file itself holds none."""

from __future__ import annotations

import base64
import json
import random
import string
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls import secret_scan
from memory_ls.secret_scan import Secret, find_secrets, shown

_UPPER, _LOWER, _DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
_ALNUM = string.ascii_letters + _DIGITS
_BASE64 = _ALNUM + "+/"
_URL_SAFE = _ALNUM + "-_"
_HEX = _DIGITS + "abcdef"


def _drawn(length: int, alphabet: str = _ALNUM, seed: int = 0) -> str:
    """The same random characters on every run."""
    return "".join(random.Random(f"{length} {alphabet} {seed}").choices(alphabet, k=length))


def _part(claims: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()


def _jwt(claims: dict[str, object], algorithm: str = "HS256") -> str:
    return f"{_part({'alg': algorithm, 'typ': 'JWT'})}.{_part(claims)}.{_drawn(43, _URL_SAFE)}"


def _pem(label: str = "", end_of_line: str = "\n", lines: int = 6) -> str:
    body = end_of_line.join(_drawn(64, _BASE64, line) for line in range(lines))
    return end_of_line.join(
        ("-----" + f"BEGIN {label}PRIVATE KEY-----", body, "-----" + f"END {label}PRIVATE KEY-----")
    )


_GITHUB = "gh" + "p_" + _drawn(36)
_ANTHROPIC = "sk-" + "ant-api03-" + _drawn(93, _URL_SAFE) + "AA"
_AWS_ID = "AK" + "IA" + _drawn(16, _UPPER + "234567")
_AWS_SECRET = _drawn(40, _BASE64, 1)
_BOT_ID = base64.b64encode(b"104857600" + b"123456789").decode().rstrip("=")
_BASIC = base64.b64encode(b"kim:" + b"qq77Wker").decode()

# (kind, what stands before, the secret, what stands after)
_KEYS = [
    ("AWS access key id", "aws_access_key_id = ", _AWS_ID, ""),
    ("AWS access key id", "temporary: ", "AS" + "IA" + _drawn(16, _UPPER + "234567", 2), ""),
    ("AWS secret access key", "aws_secret_access_key = ", _AWS_SECRET, ""),
    ("AWS secret access key", 'AWS_SECRET_ACCESS_KEY="', _drawn(40, _BASE64, 2), '"'),
    ("AWS secret access key", '"SecretAccessKey": "', _drawn(40, _BASE64, 3), '",'),
    ("GitHub token", "push with `", _GITHUB, "` from CI"),
    ("GitHub token", "", "gh" + "o_" + _drawn(36, seed=2), ""),
    ("GitHub token", "", "gh" + "s_" + _drawn(36, seed=3), ""),
    ("GitHub token", "", "gh" + "s_1234_" + _jwt({"iss": "a", "exp": 5}), ""),
    ("GitHub token", "", "gh" + "u_" + _drawn(36, seed=5), ""),
    ("GitHub token", "", "github" + "_pat_" + _drawn(22) + "_" + _drawn(59), ""),
    ("GitHub token", "https://x-access-token:", _GITHUB, "@github.com/acme/app"),
    ("GitLab token", "export GL=", "gl" + "pat-" + _drawn(20, _URL_SAFE), ""),
    ("GitLab token", "", "gl" + "pat-" + _drawn(27, _URL_SAFE, 3) + "." + "01.0a" + _drawn(7, _LOWER + _DIGITS), ""),
    ("GitLab token", "", "gl" + "rt-" + _drawn(20, seed=4), ""),
    ("OpenAI API key", "", "sk-" + "proj-" + _drawn(74, _URL_SAFE) + "T3Blbk" + "FJ" + _drawn(74, _URL_SAFE, 1), ""),
    ("OpenAI API key", "", "sk-" + _drawn(20) + "T3Blbk" + "FJ" + _drawn(20, seed=1), ""),
    ("API key", "", "sk-" + _drawn(48), ""),
    ("API key", "DeepSeek: ", "sk-" + _drawn(32, _HEX), ""),
    ("Anthropic API key", "ANTHROPIC_API_KEY=", _ANTHROPIC, ""),
    ("Anthropic API key", "", "sk-" + "ant-oat01-" + _drawn(93, _URL_SAFE, 2) + "AA", ""),
    ("OpenRouter API key", "", "sk-" + "or-v1-" + _drawn(64, _HEX), ""),
    ("Slack token", "", "xo" + "xb-" + _drawn(12, "123456789") + "-" + _drawn(13, _DIGITS) + "-" + _drawn(24), ""),
    ("Slack token", "", "xo" + "xe.xo" + "xp-1-" + _drawn(160), ""),
    ("Slack token", "", "xa" + "pp-1-A" + _drawn(10, _UPPER) + "-" + _drawn(13, _DIGITS) + "-" + _drawn(64, _HEX), ""),
    (
        "Slack webhook",
        "https://hooks.slack.com/services/",
        "T" + _drawn(8, _UPPER) + "/B" + _drawn(10, _UPPER) + "/" + _drawn(24),
        "",
    ),
    ("Stripe secret key", "", "sk" + "_live_" + _drawn(24), ""),
    ("Stripe restricted key", "", "rk" + "_live_" + _drawn(99), ""),
    ("webhook signing secret", "", "wh" + "sec_" + _drawn(32), ""),
    ("Google API key", "maps: ", "AI" + "zaSy" + _drawn(33, _URL_SAFE), ""),
    ("Google API key", "https://maps.example/js?key%3D", "AI" + "zaSy" + _drawn(33, _URL_SAFE, 1), "&v=3"),
    ("Google OAuth client secret", "", "GOC" + "SPX-" + _drawn(28, _URL_SAFE), ""),
    ("Google access token", "", "ya" + "29." + _drawn(120, _URL_SAFE), ""),
    ("npm token", "//packages.harbour.example/:_authToken=", "np" + "m_" + _drawn(36), ""),
    ("PyPI token", "password = ", "py" + "pi-AgEIcHlwaS5vcmc" + _drawn(150, _URL_SAFE), ""),
    ("SendGrid API key", "", "S" + "G." + _drawn(22, _URL_SAFE) + "." + _drawn(43, _URL_SAFE), ""),
    ("Twilio API key", "", "S" + "K" + _drawn(32, _HEX), ""),
    ("token", "TWILIO_AUTH_TOKEN=", _drawn(32, _HEX, 1), ""),
    ("Hugging Face token", "login with ", "h" + "f_" + _drawn(34, string.ascii_letters), ""),
    ("Telegram bot token", "bot ", _drawn(10, "123456789") + ":A" + "A" + _drawn(33, _URL_SAFE), ""),
    ("Discord token", "", _BOT_ID + "." + _drawn(6, _URL_SAFE) + "." + _drawn(38, _URL_SAFE), ""),
    ("Discord webhook", "https://discord.com/api/webhooks/104857600123456789/", _drawn(68, _URL_SAFE), ""),
    (
        "Azure storage key",
        "AccountName=acme;AccountKey=",
        _drawn(86, _BASE64) + "==",
        ";EndpointSuffix=core.windows.net",
    ),
    ("client secret", "AZURE_CLIENT_SECRET=", _drawn(3) + "8Q~" + _drawn(34), ""),
    ("JWT", "Cookie: session=", _jwt({"sub": "u-83", "iat": 1767000000}), ""),
    ("private key", "", _pem("RSA "), ""),
    ("private key", "", _pem("OPENSSH "), "\nafter it"),
    ("private key", "", _pem(lines=1), ""),
    ("private key", '{"private_key": "', _pem(end_of_line="\\n"), '"}'),
    ("private key", "", _pem("PGP ").replace("KEY-", "KEY BLOCK-").replace("\n-----E", "\n=Ab1d\n-----E"), ""),
    ("private key", "> ", _pem("EC ", end_of_line="\n> "), ""),
    ("private key", "    1→", _pem("RSA ", end_of_line="\n   12→"), "\n   20→"),
    ("private key", "    1\t", _pem(end_of_line="\n   12\t"), ""),
    ("private key", '{\\"key\\": \\"', _pem(end_of_line="\\\\n"), '\\"}'),
    ("API key", 'api_key = "', _drawn(32, seed=9), '"'),
    ("API key", '"X-API-Key": "', _drawn(20), '"'),
    ("API key", "HEROKU_API_KEY=", "2f1c9e0a-6b1d" + "-4c57-9a3e-0d5f7b8c1e22", ""),
    ("token", "--token ", _drawn(24), " --verbose"),
    ("token", "access_token=", _drawn(20), ""),
    ("token", "令牌：", _drawn(20, seed=1), ""),
    ("secret key", "密钥：", _drawn(24, seed=1), "，别外传"),
    ("bearer token", 'curl -H "Authorization: Bearer ', _drawn(30), '"'),
    ("basic authentication", "Authorization: Basic ", _BASIC, ""),
]
_PASSWORDS = [
    ("password: ", "hun" + "ter2", ""),
    ("password = '", "qq77,W ker".replace(" ", ""), "'"),
    ("Password: `", "Admin" + "2031!", "`"),
    ("**Password:** ", "Tr0ub" + "4dor&3", ""),
    ("**Password: ", "qq77" + "Wker", "**"),
    ("(password: ", "qq77" + "Wker", ")"),
    ("password (staging): ", "qq77" + "Wker", ""),
    ("The staging password is ", "Sommer" + "2031!", ", do not share it."),
    ("Password for the staging db is ", "qq77" + "Wker", "."),
    ('the wifi password is "', "qq77" + "Wker", '"'),
    ("login kim password ", "qq77" + "Wker", ""),
    ("Login/pass" + "word: `kim` / `", "pX7-" + "22kd", "`"),
    ("root password → ", "qq77" + "Wker", ""),
    ("password: ", "lKj" + "hTrQwZnBx", ""),
    ("password: ", "Sommer" + "#Regen", ""),
    ("passcode: ", "4829" + "13", ""),
    ("DB_PASSWORD=", "s3cr3t" + "S4uce!", ""),
    ("DB_PASSWORD_PROD=", "qq77" + "Wker", ""),
    ("ADMIN_PASS=", "qq77" + "Wker!", ""),
    ("dbPwd=", "qq77" + "Wker", ";"),
    ("Server=db;Password=", "qq77" + "Wker!", ";Encrypt=1"),
    ("https://acme.io/login?password=", "qq77" + "Wker", "&user=kim"),
    ('{"password": "', "zT7-" + "pl0m-Qa", '"}'),
    ('\\"password\\": \\"', "zz91" + "!Kdo", '\\"'),
    ("<password>", "qq77" + "Wker", "</password>"),
    ("$password = '", "qq77" + "Wker", "';"),
    (":password => '", "qq77" + "Wker", "'"),
    ("| Password | **", "Azur3" + "Exp3rt9", "** |"),
    ("| User | Password |\n|---|---|\n| admin | `", "Azur3" + "Exp3rt9", "` |\n"),
    ("sshpass -p '", "Si62u1j" + "55exIO8", "' ssh root@host"),
    ("curl -u kim:", "qq77" + "Wker", " https://acme.io"),
    ("mysql --password=", "qq77" + "Wker", " app"),
    ("密码：", "Xk29" + "fjQ8", ""),
    ("- **密码**：`", "Hk92" + "!mmq", "`"),
    ("数据库密码是 ", "Abc!" + "2288xx", "，不要外传"),
    ("用户名 root 密码 ", "Qw82" + "kx01", ""),
    ("账号密码：admin/", "Abd8" + "8213", ""),
    ("비밀번호: ", "hunter" + "22", ""),
    ("비밀번호는 ", "qwe82" + "!kd", "입니다"),
    ("패스워드: ", "qq77" + "Wker", ""),
    ("パスワードは", "qq77" + "Wker", "です"),
]
_URLS = [
    ("postgres://app:", "x9Kd" + "!2mQ", "@db.internal:5432/app"),
    ("mongodb+srv://kim:", "sword" + "fish", "@cluster0.ab1.mongodb.net/app"),
    ("redis://:", "p4ss9" + "kzz3", "@cache:6379/0"),
]
_FOUND = [
    *_KEYS,
    *(("password", *rest) for rest in _PASSWORDS),
    *(("password in a URL", *rest) for rest in _URLS),
]

# The mark ¦ is taken out: without it other scanners stumble over these very lines.
_QUIET_LINES = f"""
[notes](sk-learn-pipeline-notes-for-the-team.md)
[[sk-onboarding-checklist-v2-2026]]
- [sk-¦proj-planning-notes-for-the-whole-team-2026](a.md) — roadmap
task-sk-ant-colony-optimisation-notes-2026
hf_hub_download_with_retries_and_timeout_s
npm_config_registry_url_for_the_internal_mirror
OPENAI_API_KEY=$OPENAI_API_KEY
Set `OPENAI_API_KEY` and `secrets.GITHUB_TOKEN` in CI
GITHUB_TOKEN: ${{{{ secrets.GITHUB_TOKEN }}}}
api_key=os.environ["OPENAI_API_KEY_2"]
api_key: <your-key>
api¦_key = "your-api-key-goes-here-1234"
token = xxxxxxxxxxxxxxxxxxxxxxxx
token: 4096
max tokens: 128000
token: refreshTokenFromSessionStore
private_key: PKCS7PrivateKeyTypes
page token: {_drawn(24)}
cache_key: {_drawn(32, _HEX)}
"AWS::ApiGateway::ApiKey": "{_drawn(32, _HEX)}",
SecretArn: arn:aws:secretsmanager:us-west-2:123456789123:secret:proxysecret1-Abcd1e
secret: projects/my-proj-123/secrets/db-pass/versions/3
k8s secret: registry-pull-secret-7f9c2
JWT_SECRET=my-super-secret-jwt-2024
AccountKey=Eby8vdM02xNOcqFlqUwJ{_drawn(66, _BASE64)}==;
{"AK" + "IA"}IOSFODNN7EXAMPLE
aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/{"bPxRfiCYEXAMPLE" + "KEY"}
{"gh" + "p_"}1234567890abcdefghijklmnopqrstuvwxyz
{"gh" + "p_"}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
{"sk-" + "ant-api03-"}...
{"sk-" + "ant-api03-"}your-key-goes-here-0123456789
{"xo" + "xb-"}your-token-here
{"sk" + "_test_"}{_drawn(24)}
pk_live_{_drawn(24)}
https://hooks.slack.com/services/{"T0000" + "0000/B00000000"}/XXXXXXXXXXXXXXXXXXXXXXXX
fixed in {_drawn(40, _HEX)}
sha256:{_drawn(64, _HEX)}
originSessionId: 2f1c9e0a-6b1d-4c57-9a3e-0d5f7b8c1e22
session token: 2f1c9e0a-6b1d-4c57-9a3e-0d5f7b8c1e22
![shot](data:image/png;base64,{_drawn(800, _BASE64)}==)
"integrity": "sha512-{_drawn(86, _BASE64)}=="
https://docs.google.com/document/d/{_drawn(44, _URL_SAFE)}/edit
https://www.figma.com/file/{_drawn(22)}/Design
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{_drawn(43, _BASE64)} me@host
Authorization: Bearer $TOKEN
Authorization: Bearer {"ey" + "JhbGciOi"}...
{_jwt({"sub": "1234567890", "name": "John Doe", "iat": 1516239022})}
{_jwt({"iss": "supabase", "role": "anon"})}
{_jwt({"sub": "u-1"}, algorithm="none")}
{"ey" + "Jhbmd1YWdlIG1vZGVs"}.eyJub3QganNvbg.{_drawn(30)}
The password is stored in 1Password, never in the repository.
The password is e2e-encrypted, then hashed with argon2id.
Password must be at least 8 characters.
Password: 8+ characters, 1 digit
Password reset: go to settings
Tests pass: 128/128 on main; pass: phase2 done
password: in 1Password
password: see [[staging-access-2026]]
password: [vault](https://vault.acme.io/item/12345)
password: op://Private/db/password2
password: ~/secrets/db2.txt
password: /run/secrets/db_pw2
password: ops2@acme.com
password: string
password: str = Field(min_length=8)
password?: string | null
password: z.string().min(8)
password: process.env.DB_PW_2
pass¦word: "required|min:8"
password = get_password("db2")
password: $DB_PASS
password: ${{DB_PASSWORD_2}}
password: {{{{ vault_db_password_v2 }}}}
password: %DB_PASSWORD2%
password: !vault |
password: *default_pw2
password: changeme
password: {"pass" + "word123"}
password: {"Test" + "Pass123!"}
password: 123456
password: 2026-04-01
password: 90days
password: PBKDF2-SHA256
password: aes-256-gcm
password: JIRA-12345
password: login-flow-v2
password: hu****r2
password: [REDACTED]
password: marketplace
if password == confirmPassword2: return check_v2(password)
| password | varchar(255) | not null |
密码：存放在 1Password 里
用户名和密码是否正确：需要检查
密码加密方式：bcrypt12
用户名 admin 密码 admin
密钥：放在 KMS 里
비밀번호: bcrypt cost 12
비밀번호는 1Password에 있다
토큰: 4096개
postgres:/¦/user:pass@host/db
postgres:/¦/app:${{DB_PASS}}@db/app
postgres:/¦/postgres:postgres@localhost:5432/app
mysql://root:{"pass" + "word"}@db.acme.io/app
https://user:****@acme.io
https://<user>:<token>@acme.io
mongodb+srv:/¦/user:<db_password>@cluster0.ab1.mongodb.net
http://localhost:3000/@scope/package
git@github.com:acme/app.git
-----BEGIN PUBLIC KEY----- {_drawn(64)} -----END PUBLIC KEY-----
A key file starts with -----BEGIN PRIV¦ATE KEY----- and then come many long words of which nobody understands a single one
-----BEGIN RSA PRIV¦ATE KEY----- MIIEpAIBAAKCAQEAqKpRgnn6yq26U3y... and so on and so forth until the very last line
-----BEGIN RSA PRIV¦ATE KEY----- ... -----END RSA PRIVATE KEY-----
"""
_QUIET = [
    *_QUIET_LINES.replace("¦", "").strip().split("\n"),
    "| User | Password |\n|---|---|\n| admin | in the vault, since 2031 |\n| kim | $KIM_PW_2 |\n",
    "password:\n  min: 8\n  rotate: 90days",
]


def _texts(text: str) -> list[tuple[str, str]]:
    return [(secret.kind, text[secret.start : secret.end]) for secret in find_secrets(text)]


@pytest.mark.parametrize(("kind", "before", "value", "after"), _FOUND, ids=[f"{row[0]}-{row[1]}" for row in _FOUND])
def test_finds_a_secret_with_its_exact_place(kind: str, before: str, value: str, after: str) -> None:
    text = before + value + after
    assert find_secrets(text) == [Secret(kind, len(before), len(before) + len(value))]


@pytest.mark.parametrize(("kind", "before", "value", "after"), _FOUND, ids=[f"{row[0]}-{row[1]}" for row in _FOUND])
def test_counts_characters_whatever_stands_before(kind: str, before: str, value: str, after: str) -> None:
    prefix = "# 메모 记忆 🔑🧠 naïve\ud800\r\n"
    start = len(prefix) + len(before)
    assert find_secrets(prefix + before + value + after) == [Secret(kind, start, start + len(value))]


@pytest.mark.parametrize(("kind", "before", "value", "after"), _FOUND, ids=[f"{row[0]}-{row[1]}" for row in _FOUND])
def test_leaves_nothing_to_find_once_redacted(kind: str, before: str, value: str, after: str) -> None:
    text = before + value + after
    for secret in reversed(find_secrets(text)):
        text = text[: secret.start] + "[REDACTED]" + text[secret.end :]
    assert value not in text
    assert find_secrets(text) == []


@pytest.mark.parametrize("text", _QUIET)
def test_stays_quiet_about(text: str) -> None:
    assert _texts(text) == []


def test_stays_quiet_about_all_of_them_together() -> None:
    assert _texts("\n".join(_QUIET)) == []


def test_most_random_keys_are_found_whatever_was_drawn() -> None:
    """A key may spell a word by chance; that must stay rare."""
    shapes = {
        "gh" + "p_": (36, _ALNUM),
        "AI" + "zaSy": (33, _URL_SAFE),
        "sk-" + "ant-api03-": (95, _URL_SAFE),
        "AK" + "IA": (16, _UPPER + "234567"),
        "h" + "f_": (34, string.ascii_letters),
        "api_key: ": (24, _LOWER + _DIGITS),
        "auth_token: ": (32, _HEX),
    }
    for prefix, (length, alphabet) in shapes.items():
        missed = sum(not find_secrets(prefix + _drawn(length, alphabet, seed)) for seed in range(300))
        assert missed <= 6, prefix


def test_several_secrets_in_a_text_come_in_order() -> None:
    text = f"{_AWS_ID} / {_AWS_SECRET}\npassword: {'qq77' + 'Wker'}\n{_GITHUB}\n{_pem()}\n"
    assert [kind for kind, _ in _texts(text)] == [
        "AWS access key id",
        "AWS secret access key",
        "password",
        "GitHub token",
        "private key",
    ]


def test_forty_characters_are_an_aws_secret_only_near_its_id() -> None:
    assert _texts(f"checksum {_AWS_SECRET}") == []


def test_the_shape_of_a_key_says_more_than_the_name_before_it() -> None:
    assert _texts(f"password: {_GITHUB}") == [("GitHub token", _GITHUB)]
    assert _texts(f"Authorization: Bearer {_ANTHROPIC}") == [("Anthropic API key", _ANTHROPIC)]


def test_a_key_is_found_in_json_within_json() -> None:
    assert _texts(f'"stdout": "token\\n{_GITHUB}\\n"') == [("GitHub token", _GITHUB)]
    assert _texts(f'"q": "k\\u003d{_GITHUB}"') == [("GitHub token", _GITHUB)]


def test_a_private_key_that_was_cut_is_taken_to_its_last_character() -> None:
    cut = _pem("RSA ")[:200].rstrip()
    assert _texts(cut + "\n\n… 12 more lines") == [("private key", cut)]
    assert _texts(cut + "\n\nand so on for many lines\n") == [("private key", cut)]


def test_every_row_of_a_password_column_is_read() -> None:
    first, second = "Azur3" + "Exp3rt9", "zz91" + "!Kdo"
    rows = (
        "| 用户 | 密码 | 角色 |",
        "|---|:---:|---|",
        f"| a | {first} | admin |",
        "| b | - | |",
        f"| c | `{second}` | |",
    )
    text = "\r\n".join(rows)
    assert _texts(text) == [("password", first), ("password", second)]


def test_a_default_is_no_secret_on_one_s_own_machine_but_is_one_elsewhere() -> None:
    word = "sword" + "fish"
    assert _texts("postgres:" + f"//app:{word}@localhost/app") == []
    assert _texts("postgres:" + f"//app:{word}@db.acme.io/app") == [("password in a URL", word)]


def test_only_the_beginning_of_a_secret_is_shown() -> None:
    assert shown(_GITHUB) == "gh" + "p_…"
    assert shown("12345678") == "1234…"
    assert shown("hunter2") == "h…"
    assert shown("") == "…"


def test_a_secret_never_carries_its_value() -> None:
    (secret,) = find_secrets(f"password: {_GITHUB}")
    assert repr(secret) == "Secret(kind='GitHub token', start=10, end=50)"


def test_neither_this_file_nor_the_module_trips_the_scanner() -> None:
    for path in (Path(__file__), Path(secret_scan.__file__)):
        assert find_secrets(path.read_text(encoding="utf-8")) == []


def test_importing_the_module_compiles_no_pattern_and_loads_nothing_heavy() -> None:
    code = (
        "import sys; from memory_ls import secret_scan; "
        "print(secret_scan._regex.cache_info().currsize, sorted({'json', 'base64', 'requests'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "0 []\n"


# --- Whatever the text ------------------------------------------------------------------------------------------------

_ANY_TEXT = st.text(st.characters(exclude_categories=()))
_PIECES = st.sampled_from(
    [
        *(part for row in _FOUND for part in row[1:]),
        *_QUIET,
        *(
            "password",
            "pwd",
            "secret",
            "token",
            "api_key",
            "Bearer",
            "Basic",
            "curl ",
            "sshpass",
            "-p",
            "-u",
            "--",
            "://",
        ),
        *("@", ":", "=", "：", "|", "|---", "**", "`", '"', "'", "\\", "\\n", "%", "$", "{", "(", " is ", " for "),
        *("密码", "비밀번호", "パスワード", "密钥", " ", "\n", "\r\n", "-", "_", "\ud800", "🔑", "-----BEGIN "),
    ]
)
_HOSTILE_TEXT = st.lists(
    st.one_of(_PIECES, st.text(st.characters(exclude_categories=()), max_size=3)), max_size=12
).map("".join)


@given(st.one_of(_ANY_TEXT, _HOSTILE_TEXT))
def test_spans_are_in_order_inside_the_text_and_apart(text: str) -> None:
    end = 0
    for secret in find_secrets(text):
        assert end <= secret.start < secret.end <= len(text)
        end = secret.end


@given(st.sampled_from(_QUIET), _HOSTILE_TEXT)
def test_a_clean_line_before_only_moves_the_spans(line: str, text: str) -> None:
    prefix = line + "\n\n"
    moved = [Secret(found.kind, found.start + len(prefix), found.end + len(prefix)) for found in find_secrets(text)]
    assert find_secrets(prefix + text) == moved


# --- Time -------------------------------------------------------------------------------------------------------------


def _seconds(text: str) -> float:
    started = time.perf_counter()
    find_secrets(text)
    return time.perf_counter() - started


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "-",
        " ",
        "aaaaaaaaaaaaaaa ",
        "sk-",
        "pass",
        "password: ",
        "password for a ",
        "| Password |\n|---|\n",
        "|pass",
        "user/password: a/",
        "token=",
        "api_key=a1",
        "密码：",
        "密码 ",
        "://a:b@",
        "curl -u a:",
        "Basic AAAAAAAAAAAAAAAA",
        "eyJaaaaaaaaaaaaaaaa.",
        "-----BEGIN PRIV" + "ATE KEY-----",
        "-----BEGIN PRIV" + "ATE KEY-----AAAA\n",
        _AWS_ID + " ",
        _GITHUB + "\n",
    ],
    ids=lambda unit: repr(unit[:6]),
)
def test_twice_the_text_takes_about_twice_the_time(unit: str) -> None:
    half = unit * (30_000 // len(unit))
    both = [(_seconds(half), _seconds(half + half)) for _ in range(7)]  # taken in turns: a busy machine slows both
    assert min(double for _, double in both) < 3 * min(single for single, _ in both) + 0.001
