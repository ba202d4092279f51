select 1 as a, 2 as b, 3 as c, 4 as d, 5 as e, 6 as session_token_count, 7 as user_password, 8 as tokenized
